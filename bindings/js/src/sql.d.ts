// The build includes the text of such a file.
declare module "*.sql" {
  const text: string;
  export default text;
}
