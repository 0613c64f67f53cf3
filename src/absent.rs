//! Commands that this program was built without.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// An error that says what to install, where an unknown command is one of another build.
pub fn named(error: &clap::Error, program: &mut clap::Command) -> Option<clap::Error> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let feature = match name.as_str() {
        "map" | "sql" | "survey" | "plan" => "databases",
        "lab" => "lab",
        _ => return None,
    };
    // A command of this program has no such subcommand.
    if program.find_subcommand(name).is_some() {
        return None;
    }
    let message = format_args!(
        "this program was built without '{name}', which the feature '{feature}' brings: install it from a checkout with \
         cargo install --path . --no-default-features --features {feature}"
    );
    Some(program.error(ErrorKind::InvalidSubcommand, message))
}
