//! Finds out where a caller's connection leads: to the map, to another node of its cluster, or to a copy of the map.
//!
//! A copy of a schema has everything that its rows contain: the id of the map and its epoch. So rows cannot tell a copy from
//! the map. The place can: on one server, only the same schema is the same map, and another server has to prove that it is a
//! node of the same cluster.

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::values::Values;

const SERVER_AND_SCHEMA: &str = "SELECT CONCAT_WS(' ', @@hostname, @@port, @@server_id, RIGHT(UUID(), 17)), \
    IF(@@lower_case_table_names, LOWER(DATABASE()), DATABASE())";

/// A copy of a node that was started by itself has the cluster's UUID. It does not have the number of the view, nor its
/// members.
const GALERA: &str = "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_state_uuid', 'wsrep_cluster_conf_id', \
    'wsrep_incoming_addresses')";

const GROUP: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name = 'group_replication_group_name'";

/// Empty on a server that is configured for the group and is not one of its members.
const MEMBER: &str = "SELECT member_id FROM performance_schema.replication_group_members \
    WHERE member_id = @@server_uuid AND member_state IN ('ONLINE', 'RECOVERING')";

/// The server process and the schema of a session, and the cluster that the server is a node of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    server: String,
    schema: String,
    cluster: Option<Cluster>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Cluster {
    Galera { uuid: String, view: String },
    Group { name: String },
}

/// The relation of one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Same,
    /// Two nodes of which one has not seen yet that the cluster's members changed.
    Changing,
    Other,
}

impl Place {
    pub(super) async fn read<C: Connection>(connection: &mut C) -> Attempt<Place> {
        let rows = connection.read(SERVER_AND_SCHEMA.to_owned()).await?;
        let (mut server, mut schema) = (String::new(), String::new());
        if let Some(row) = rows.first() {
            server = row.text(0)?.unwrap_or_default();
            schema = row.text(1)?.unwrap_or_default();
        }
        let cluster = match Cluster::galera(connection).await? {
            Some(galera) => Some(galera),
            None => Cluster::group(connection).await?,
        };
        Ok(Place { server, schema, cluster })
    }

    pub(super) fn relation(&self, other: &Place) -> Relation {
        if self.schema != other.schema || self.server.is_empty() {
            return Relation::Other;
        }
        if self.server == other.server {
            return Relation::Same;
        }
        match (&self.cluster, &other.cluster) {
            (
                Some(Cluster::Galera { uuid, view }),
                Some(Cluster::Galera { uuid: other, view: other_view }),
            ) if uuid == other => {
                if view == other_view {
                    Relation::Same
                } else {
                    Relation::Changing
                }
            }
            (Some(Cluster::Group { name }), Some(Cluster::Group { name: other })) if name == other => {
                Relation::Same
            }
            _ => Relation::Other,
        }
    }

    /// The schema and the server, for people.
    pub(super) fn describe(&self) -> String {
        let mut words = self.server.split(' ');
        let (host, port) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        format!("schema {:?} of the server {host}:{port}", self.schema)
    }
}

impl Cluster {
    async fn galera<C: Connection>(connection: &mut C) -> Attempt<Option<Cluster>> {
        let values = named(connection, GALERA).await?;
        let value = |name: &str| {
            values.iter().find(|(found, _)| found == name).map_or("", |(_, value)| value.as_str())
        };
        let uuid = value("wsrep_cluster_state_uuid");
        // A server without the cluster's library reports none, or zeros.
        if uuid.chars().all(|c| c == '0' || c == '-') {
            return Ok(None);
        }
        let mut members: Vec<&str> = value("wsrep_incoming_addresses").split(',').collect();
        members.sort_unstable();
        let view = format!("{} {}", value("wsrep_cluster_conf_id"), members.join(","));
        Ok(Some(Cluster::Galera { uuid: uuid.to_owned(), view }))
    }

    async fn group<C: Connection>(connection: &mut C) -> Attempt<Option<Cluster>> {
        let Some((_, name)) = named(connection, GROUP).await?.into_iter().next() else { return Ok(None) };
        if name.is_empty() || connection.read(MEMBER.to_owned()).await?.is_empty() {
            return Ok(None);
        }
        Ok(Some(Cluster::Group { name }))
    }
}

/// The names and values that a statement shows.
async fn named<C: Connection>(connection: &mut C, statement: &str) -> Attempt<Vec<(String, String)>> {
    let rows = connection.read(statement.to_owned()).await?;
    rows.iter().map(|row| Ok((row.text(0)?.unwrap_or_default(), row.text(1)?.unwrap_or_default()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(server: &str, schema: &str, cluster: Option<Cluster>) -> Place {
        Place { server: server.to_owned(), schema: schema.to_owned(), cluster }
    }

    fn galera(uuid: &str, view: &str) -> Option<Cluster> {
        Some(Cluster::Galera { uuid: uuid.to_owned(), view: view.to_owned() })
    }

    fn group(name: &str) -> Option<Cluster> {
        Some(Cluster::Group { name: name.to_owned() })
    }

    #[test]
    fn only_the_same_schema_of_one_server_or_cluster_is_the_same_map() {
        let one = place("a 3306 1 x", "shop", None);
        assert_eq!(one.relation(&one.clone()), Relation::Same);
        assert_eq!(one.relation(&place("a 3306 1 x", "copy", None)), Relation::Other);
        // A replica, a restored backup, a copy of the machine.
        assert_eq!(one.relation(&place("a 3306 1 y", "shop", None)), Relation::Other);
        assert_eq!(place("", "shop", None).relation(&place("", "shop", None)), Relation::Other);
        for (mine, theirs, relation) in [
            (galera("u", "3 a,b"), galera("u", "3 a,b"), Relation::Same),
            (galera("u", "3 a,b"), galera("u", "1 c"), Relation::Changing),
            (galera("u", "3 a,b"), galera("v", "3 a,b"), Relation::Other),
            (galera("u", "3 a,b"), None, Relation::Other),
            (group("g"), group("g"), Relation::Same),
            (group("g"), group("h"), Relation::Other),
            (group("g"), None, Relation::Other),
            (None, None, Relation::Other),
        ] {
            let (mine, theirs) = (place("a", "shop", mine), place("b", "shop", theirs));
            assert_eq!(mine.relation(&theirs), relation, "{mine:?} {theirs:?}");
            let elsewhere = Place { schema: "copy".to_owned(), ..theirs };
            assert_eq!(mine.relation(&elsewhere), Relation::Other);
        }
    }
}
