<?php
// How PDO binds and reads ids: prints a fact for each line, which test_other_drivers.py compares with docs/drivers.md.
//
//   drivers.php DSN USER PASSWORD COLUMNS ID SHORT
[, $dsn, $user, $password, $columns, $id, $short] = $argv;
$bytes = hex2bin(str_replace('-', '', $id));
$pdo = new PDO($dsn, $user, $password, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$pdo->exec("CREATE TABLE ids ($columns)");
$pdo->exec('INSERT INTO ids (b) VALUES (NULL)');

function bind(string $sql, string $value, int $type): PDOStatement {
    global $pdo;
    $statement = $pdo->prepare($sql);
    $statement->bindValue(1, $value, $type);
    $statement->execute();
    return $statement;
}

function found(string $name, string $column, string $value, int $type = PDO::PARAM_STR): void {
    try {
        $found = bind("SELECT COUNT(*) FROM ids WHERE $column = ?", $value, $type)->fetchColumn();
    } catch (PDOException) {
        $found = 'refused';
    }
    echo "$name $found\n";
}

function read(string $column): mixed {
    global $pdo;
    $value = $pdo->query("SELECT $column FROM ids")->fetchColumn();
    echo "$column ", get_debug_type($value), "\n";
    return is_resource($value) ? stream_get_contents($value) : $value;
}

function check(bool $holds, string $what): void {
    if (!$holds) {
        fwrite(STDERR, "$what\n");
        exit(1);
    }
}

bind('UPDATE ids SET b = ?', $bytes, PDO::PARAM_LOB);
found('b-lob', 'b', $bytes, PDO::PARAM_LOB);
found('b-bytes', 'b', $bytes);
found('b-text', 'b', $id);
check(read('b') === $bytes, 'the bytes');
if (str_contains($columns, 's ')) {
    bind('UPDATE ids SET s = ?', $short, PDO::PARAM_STR);
    found('s-text', 's', $short);
    check((string) read('s') === $short, 'the number');
    echo 's-int ', (string) (int) $short === $short ? 'same' : 'another', "\n";
}
if (str_contains($columns, 'u ')) {
    bind('UPDATE ids SET u = ?', $id, PDO::PARAM_STR);
    found('u-text', 'u', $id);
    found('u-lob', 'u', $bytes, PDO::PARAM_LOB);
    check(read('u') === $id, 'the UUID');
}
