{ Ids from Random of Free Pascal: pascal FORM COUNT }
program pascal;
uses sysutils;

function Digit(number: integer): char;
begin
  Digit := LowerCase(IntToHex(number, 1))[1];
end;

function Id: string;
var
  place: integer;
begin
  Id := 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx';
  for place := 1 to 36 do
    case Id[place] of
      'x': Id[place] := Digit(Random(16));
      'y': Id[place] := Digit(Random(16) and 3 or 8);
    end;
end;

var
  n: integer;
begin
  Randomize;
  for n := 1 to StrToInt(ParamStr(2)) do
    WriteLn(Id);
end.
