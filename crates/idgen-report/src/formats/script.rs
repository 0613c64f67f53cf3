//! The script of the pages.

/// The hash of `page.js`. It is the only script that a browser runs in the page, so text from a record never runs.
pub(crate) const SCRIPT_HASH: &str = "sha256-LvTmP7rtVStllCCqqA7Lg02zNGd+RRBUKNudOUgGEtw=";
