//! The notices of the server. The driver passes them to `tracing`, and nowhere else.

use std::fmt;

use tokio::sync::mpsc::UnboundedSender;
use tracing::field::{Field, Visit};
use tracing::instrument::WithSubscriber;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// The target of the driver's events about notices.
const TARGET: &str = "sqlx::postgres::notice";

/// Awaits `work`, and sends each notice and warning that the server sends meanwhile.
pub(super) async fn sent_to<T>(said: &UnboundedSender<String>, work: impl Future<Output = T>) -> T {
    work.with_subscriber(Notices(said.clone())).await
}

struct Notices(UnboundedSender<String>);

impl Subscriber for Notices {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == TARGET && *metadata.level() <= Level::INFO
    }

    fn event(&self, event: &Event<'_>) {
        if self.enabled(event.metadata()) {
            event.record(&mut Message(&self.0));
        }
    }

    // The driver has no spans.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Message<'a>(&'a UnboundedSender<String>);

impl Visit for Message<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            // Nobody listens any more, for instance after Ctrl-C.
            let _ = self.0.send(value.to_owned());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
