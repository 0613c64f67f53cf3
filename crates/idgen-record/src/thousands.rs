//! Whole numbers as people read them.

/// A whole number with commas between thousands.
///
/// ```
/// assert_eq!(idgen_record::thousands(1_234_567), "1,234,567");
/// assert_eq!(idgen_record::thousands(999), "999");
/// ```
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
