use super::*;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn what_a_column_would_change_is_refused() {
    let time = |digits, of| Holds::Time { digits, of };
    let bytes = |text: &str| Value::Bytes(text.as_bytes().to_vec());
    let chars = |most, stripped| Holds::Characters { most, stripped, set: Charset::Utf8 };
    let latin = |most, stripped| Holds::Characters { most, stripped, set: Charset::Single };
    let long = |most, set| Holds::Text { most, set };
    let member = Holds::Member(members("enum('a','it''s','b\\\\c','d\\n','?','e?')"));
    let some = Holds::Members(members("set('a','b')"));
    for (holds, good, bad) in [
        (
            Holds::Integers(64),
            vec![
                Value::Int(-1),
                Value::UInt(u64::MAX),
                Value::Float(2e3),
                text("12"),
                text("-1.50e2"),
                text("x"),
            ],
            vec![
                Value::Float(1.5),
                text("1.5"),
                text(" 15e-1"),
                Value::Bytes(vec![1]),
                Value::Float(9_223_372_036_854_775_808.0),
            ],
        ),
        (
            Holds::Decimals(2),
            vec![Value::Float(0.25), text("1.2300"), text("125e-2"), Value::Int(7), text("0.000")],
            vec![Value::Float(0.125), text("1.239"), text("1e-3"), text("15e-99999999999999999999")],
        ),
        (
            Holds::Doubles,
            vec![
                Value::Int(1 << 53),
                Value::Float(0.1),
                text("0.1"),
                text("9007199254740992"),
                text("-009007199254740994.0"),
                text("0e-400"),
                text("0"),
                text("100000000000000000000"),
                text("1e400"),
                text("x"),
                Value::Float(5e-324),
                Value::Float(1e23),
                text("1e23"),
                text("9007199254740992e0"),
                text("90071992547409920e-1"),
                text("12345678901234567.89"),
            ],
            vec![
                Value::Int((1 << 53) + 1),
                Value::UInt(u64::MAX),
                text("9007199254740993"),
                text(" -9007199254740993.0"),
                text("1e-400"),
                text("0.1e-99999999999999999999"),
                text("9007199254740993e0"),
                text("90071992547409930.0E-1"),
            ],
        ),
        (
            Holds::Floats,
            vec![
                Value::Int(1 << 24),
                text("16777216"),
                Value::Float(0.1),
                Value::Float(0.0),
                Value::Float(1e30),
                Value::Float(3.402_823_466_385_288_6e38),
                text("16777217.5"),
            ],
            vec![
                Value::Int((1 << 24) + 1),
                text("16777217"),
                Value::Float(1e-60),
                text("1e-60"),
                Value::Float(-16_777_217.0),
                text("16777217e0"),
                text("1.6777217e7"),
                text("167772170e-1"),
            ],
        ),
        (
            Holds::FloatDecimals(2),
            vec![Value::Int(1 << 24), text("16777216"), text("0.25")],
            vec![Value::Int((1 << 24) + 1), text("16777217.00"), Value::UInt(20_260_131), text("0.125")],
        ),
        (
            Holds::DoubleDecimals(2),
            vec![Value::Int(1 << 53), text("0.25")],
            vec![Value::Int((1 << 53) + 1), text("9007199254740993"), text("0.125")],
        ),
        (
            chars(3, false),
            vec![text("é €"), text("x  "), Value::Int(1234), bytes("é €")],
            vec![text("x   "), text("abcd"), text("abc\n"), Value::Float(0.5), bytes("é €\n")],
        ),
        (
            latin(3, false),
            vec![text("é €"), Value::Bytes(vec![233, 32, 32])],
            vec![text("é €\n"), Value::Bytes(vec![233, 32, 32, 32]), bytes("aé\n")],
        ),
        (chars(24, false), vec![Value::Float(0.1), bytes("é ")], vec![]),
        (chars(3, true), vec![text("abc"), text(""), bytes("abc")], vec![text("x "), bytes("x ")]),
        (latin(3, true), vec![Value::Bytes(vec![233, 10])], vec![Value::Bytes(vec![233, 32])]),
        (Holds::Bytes, vec![Value::Int(1), bytes("a")], vec![Value::Float(0.5)]),
        (
            long(3, Charset::Utf8),
            vec![text("x  "), text("é\n")],
            vec![text("x   "), bytes("x   "), text("xyz\n"), text("é\t\t"), text("long"), bytes("xyz\n")],
        ),
        (long(3, Charset::Single), vec![text("éé\n")], vec![text("ééé\n"), text("éé\r\n")]),
        (long(4, Charset::Utf16), vec![text("é\n")], vec![text("éé\n")]),
        (long(8, Charset::Utf32), vec![text("é\n")], vec![text("éé\n")]),
        (long(4, Charset::Mixed), vec![text("xyz\n"), text("中中")], vec![text("中\n"), text("中中中中中")]),
        (
            Holds::Binary(2),
            vec![Value::Bytes(vec![0, 0]), text("ab"), Value::Int(-1), Value::UInt(10)],
            vec![Value::Bytes(vec![1]), text("abc"), Value::Int(5), Value::UInt(100)],
        ),
        (
            time(3, Time::Instant),
            vec![text("2026-01-01 10:00:00.123"), text("2026-01-01 10:00:00.123000")],
            vec![
                text("2026-01-01 10:00:00.1234"),
                Value::Float(1.5),
                text("10:11:12"),
                bytes("10:11:12"),
                Value::Int(260_101_101_112),
            ],
        ),
        (
            time(0, Time::Day),
            vec![
                text("2026-01-01"),
                text("2026-1-1"),
                text("20260101"),
                Value::Int(20_260_101),
                Value::Int(0),
            ],
            vec![
                text("2026-1-1 5"),
                text("2026-1-1T5"),
                text("20260101 5"),
                text("2026-01-01 10:00:00"),
                Value::Int(20_260_101_100_000),
                text("10:11:12"),
                text("26-01-01"),
                text("260101"),
                Value::Int(101),
                Value::UInt(260_101),
            ],
        ),
        (
            time(0, Time::OfDay),
            vec![text("-838:59:59"), text("1 10:00:00"), text("10:00"), text("1000000"), Value::Int(100_000)],
            vec![
                text("2026-01-01 10:00:00"),
                text("2026-01-01T10:00:00"),
                text("20260101100000"),
                Value::UInt(20_260_101_100_000),
            ],
        ),
        (
            time(0, Time::Local),
            vec![
                text("2026-01-01 10:00:00"),
                text("2026-01-01"),
                text("2026-1-1 5"),
                Value::Int(20_260_101_100_000),
            ],
            vec![
                text("2026-01-01 10:00:00+02:00"),
                text("2026-01-01T10:00:00-02:00"),
                text("2026-1-1 5+02:00"),
                text("2026-1-1 5:0:0-02:00"),
            ],
        ),
        (time(0, Time::Instant), vec![text("2026-01-01 10:00:00+02:00")], vec![]),
        (
            Holds::Year,
            vec![Value::Int(2026), text("1999")],
            vec![Value::Int(26), text("26"), text("2026.7"), text("26.00"), text("26.0")],
        ),
        (Holds::Bits, vec![Value::Int(1), Value::Bytes(vec![1])], vec![text("1"), Value::Int(-1)]),
        (
            member,
            vec![text("a"), text("it's"), text("b\\c"), text("d\n"), text("😀"), text("e?")],
            vec![text("A"), text("1"), Value::Int(1), text("é"), text("b\\\\c"), text("e😀😀")],
        ),
        (some, vec![text("b,a"), text("")], vec![text("c"), text("a,a"), text("a,"), Value::Int(1)]),
    ] {
        for value in good.iter().chain([&Value::Null]) {
            assert_eq!(holds.refuses(value), None, "{holds:?} {value:?}");
        }
        for value in bad {
            assert!(holds.refuses(&value).is_some(), "{holds:?} {value:?}");
        }
    }
}
