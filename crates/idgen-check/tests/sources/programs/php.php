<?php
// Ids from PHP's mt_rand(), a Mersenne Twister: php php.php FORM COUNT
function version4(string $bytes): string
{
    $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
}

function fill(callable $digit): string
{
    $choose = fn ($c) => dechex($c[0] === 'x' ? $digit() : $digit() & 3 | 8);
    return preg_replace_callback('/[xy]/', $choose, 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx');
}

$forms = [
    'secure' => fn () => version4(random_bytes(16)),
    // From a comment in PHP's manual, which many programs copied.
    'mt-rand-ffff' => fn () => sprintf(
        '%04x%04x-%04x-%04x-%04x-%04x%04x%04x',
        mt_rand(0, 0xffff), mt_rand(0, 0xffff), mt_rand(0, 0xffff),
        mt_rand(0, 0x0fff) | 0x4000, mt_rand(0, 0x3fff) | 0x8000,
        mt_rand(0, 0xffff), mt_rand(0, 0xffff), mt_rand(0, 0xffff),
    ),
    'mt-rand-15' => fn () => fill(fn () => mt_rand(0, 15)),
    'mt-rand-255' => fn () => version4(implode(array_map(fn () => chr(mt_rand(0, 255)), range(1, 16)))),
    'mt-rand-remainder' => fn () => fill(fn () => mt_rand() % 16),
    'rand-ffff' => fn () => sprintf(
        '%04X%04X-%04X-%04X-%04X-%04X%04X%04X',
        rand(0, 65535), rand(0, 65535), rand(0, 65535), rand(16384, 20479), rand(32768, 49151),
        rand(0, 65535), rand(0, 65535), rand(0, 65535),
    ),
];

// As in PHP 5: another twister, and limits that scale its numbers.
if ($argv[1] === '5-ffff') {
    mt_srand(random_int(0, PHP_INT_MAX), MT_RAND_PHP);
    $forms['5-ffff'] = $forms['mt-rand-ffff'];
}

if ($argv[1] === 'seed-seconds') {
    mt_srand(time());
    $forms['seed-seconds'] = $forms['mt-rand-ffff'];
}

for ($n = 0; $n < $argv[2]; $n++) {
    echo $forms[$argv[1]](), "\n";
}
