//! Texts that nobody decodes: their characters, the label before them, and whether they are random.

use std::collections::BTreeSet;

/// The characters that separate a label such as `cus_` from the rest.
const SEPARATORS: [char; 6] = ['_', '-', ':', '/', '$', '.'];

/// Bytes of the label that all texts have, with its separator.
pub(crate) fn label(texts: &[&str]) -> usize {
    let [first, rest @ ..] = texts else { return 0 };
    let mut same = first.len();
    for text in rest {
        same = first.bytes().zip(text.bytes()).take(same).take_while(|(a, b)| a == b).count();
    }
    // One text has its label up to the last separator, if something follows it.
    let same = if rest.is_empty() { first.len().saturating_sub(1) } else { same };
    first.bytes().take(same).rposition(|byte| SEPARATORS.contains(&(byte as char))).map_or(0, |at| at + 1)
}

/// Fewer letters show nothing about their case.
const LEAST_LETTERS: usize = 12;
/// Shorter texts are words and codes.
const LEAST_CHARS: usize = 8;

/// Returns true if the letters of these texts are in both cases as those of random texts are: in about as many places,
/// and without the order that words have.
pub(crate) fn has_random_case(texts: &[&str]) -> bool {
    let label = label(texts);
    let (mut lower, mut upper, mut digits) = (0_usize, 0_usize, 0_usize);
    let (mut pairs, mut changes, mut mixed) = (0_usize, 0_usize, 0_usize);
    for text in texts {
        let Some(rest) = text.get(label..).filter(|rest| rest.len() >= LEAST_CHARS) else { return false };
        if !rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_+/=.".contains(&byte)) {
            return false;
        }
        let class = |byte: u8| match byte {
            b'a'..=b'z' => Some(0),
            b'A'..=b'Z' => Some(1),
            b'0'..=b'9' => Some(2),
            _ => None,
        };
        let classes: Vec<Option<u8>> = rest.bytes().map(class).collect();
        mixed += usize::from(classes.contains(&Some(0)) && classes.contains(&Some(1)));
        let count = |of: u8| classes.iter().filter(|&&class| class == Some(of)).count();
        (lower, upper, digits) = (lower + count(0), upper + count(1), digits + count(2));
        let both = classes.windows(2).filter(|pair| pair[0].is_some() && pair[1].is_some());
        pairs += both.clone().count();
        changes += both.filter(|pair| pair[0] != pair[1]).count();
    }
    let letters = lower + upper;
    // With few letters, the part in one case varies more.
    let (least, most) = if letters < 60 { (0.3, 0.7) } else { (0.38, 0.62) };
    let part = upper as f64 / letters.max(1) as f64;
    let all = (letters + digits).max(1) as f64;
    let same: f64 = [lower, upper, digits].into_iter().map(|count| (count as f64 / all).powi(2)).sum();
    letters >= LEAST_LETTERS
        && mixed * 10 >= texts.len() * 8
        && (least..=most).contains(&part)
        && changes as f64 >= 0.75 * (1.0 - same) * pairs as f64
}

/// The number of characters and which ones they are, such as `21 of A-Z a-z 0-9 - _`.
pub(crate) fn form(texts: &[&str]) -> Option<String> {
    let lengths = texts.iter().map(|text| text.chars().count());
    let (least, most) = (lengths.clone().min()?, lengths.max()?);
    let length = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    let has = |is: fn(char) -> bool| texts.iter().any(|text| text.chars().any(is));
    let mut classes: Vec<String> = Vec::new();
    let is_hexadecimal = |c: char| c.is_ascii_hexdigit();
    let letters = |from: char, to: char| move |c: char| (from..=to).contains(&c);
    if texts.iter().all(|text| text.chars().all(is_hexadecimal)) && has(is_hexadecimal) {
        classes.push("hexadecimal digits".to_owned());
    } else {
        if texts.iter().any(|text| text.chars().any(letters('A', 'Z'))) {
            classes.push("A-Z".to_owned());
        }
        if texts.iter().any(|text| text.chars().any(letters('a', 'z'))) {
            classes.push("a-z".to_owned());
        }
        if has(|c| c.is_ascii_digit()) {
            classes.push("0-9".to_owned());
        }
        let signs: BTreeSet<char> =
            texts.iter().flat_map(|text| text.chars()).filter(char::is_ascii_punctuation).collect();
        match signs.len() {
            0 => {}
            1..=4 => classes.extend(signs.iter().map(char::to_string)),
            _ => classes.push("signs".to_owned()),
        }
        if has(|c| c.is_ascii_whitespace()) {
            classes.push("spaces".to_owned());
        }
        if has(|c| !c.is_ascii()) {
            classes.push("other characters".to_owned());
        }
    }
    Some(format!("{length} of {}", classes.join(" ")))
}

/// Returns true if the first characters of these texts, behind their label, are spread over the characters that the
/// others have.
pub(crate) fn begins_anywhere(texts: &[&str], ignores_case: bool) -> bool {
    let label = label(texts);
    let fold = |c: char| if ignores_case { c.to_ascii_lowercase() } else { c };
    let rests = || texts.iter().filter_map(|text| text.get(label..));
    let alphabet: BTreeSet<char> = rests().flat_map(|rest| rest.chars().skip(1)).map(fold).collect();
    let first: BTreeSet<char> = rests().filter_map(|rest| rest.chars().next()).map(fold).collect();
    let alphabet: Vec<char> = alphabet.union(&first).copied().collect();
    let place = |c: Option<&char>| c.and_then(|c| alphabet.iter().position(|of| of == c)).unwrap_or(0);
    let spread = place(first.last()) - place(first.first());
    first.len() >= LEAST_FIRST && spread * 10 >= (alphabet.len() - 1) * 6
}

/// If new ids arrive everywhere, there are at least this many first characters: as many as the ranges of a sample.
const LEAST_FIRST: usize = 4;
