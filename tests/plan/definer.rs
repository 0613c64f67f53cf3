//! An account that made triggers of a plan and is gone: each write fails, and the status says so.

use idgen_server::Server;

use crate::world::World;

pub fn is_gone(server: &Server) {
    let world = World::new(server);
    world.must(&["--until", "triggers-p"]);
    let plan = world.plan();
    assert_eq!(plan["blocked"], serde_json::json!([]), "{plan}");
    let id = world.id();
    world.sql(&format!(
        "CREATE USER gone; CREATE DEFINER = gone TRIGGER p_{id}_other BEFORE INSERT ON p FOR EACH ROW SET NEW.n = NEW.n; DROP USER gone"
    ));
    let shown = world.until("gone@%, which is gone");
    assert!(shown.contains("The triggers on p"), "{shown}");
}
