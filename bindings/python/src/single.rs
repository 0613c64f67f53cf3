//! One id per call: a function for each kind and form.

use pyo3::prelude::*;

use crate::arguments::read_server_id;
use crate::cpython::{Safety, add_function, add_function_of_one, c_doc};
use crate::device;
use crate::forms::Form;
use crate::generators::for_kinds;

/// Adds the five functions of each 128-bit kind.
macro_rules! add_functions {
    ($module:ident, $($kind:ident $name:literal = $make:path, $fill:path, $safety:ident: $what:literal $example:literal;)+) => {$(
        add_function(
            $module,
            c_doc!($name),
            c_doc!($name, "()\n--\n\n", $what, "\n\n", $example, "\n"),
            |py| Form::Uuid.make(py, &$make(), Safety::$safety),
        )?;
        add_function(
            $module,
            c_doc!($name, "_str"),
            c_doc!(
                $name, "_str()\n--\n\nA new id as ", $name, "(), in 36 characters.\n\n",
                ">>> len(idgen.", $name, "_str())\n36\n"
            ),
            |py| Form::Str.make(py, &$make(), Safety::Unknown),
        )?;
        add_function(
            $module,
            c_doc!($name, "_bytes"),
            c_doc!(
                $name, "_bytes()\n--\n\nA new id as ", $name, "(), in 16 bytes.\n\n",
                ">>> len(idgen.", $name, "_bytes())\n16\n"
            ),
            |py| Form::Bytes.make(py, &$make(), Safety::Unknown),
        )?;
        add_function(
            $module,
            c_doc!($name, "_int"),
            c_doc!(
                $name, "_int()\n--\n\nA new id as ", $name, "(), as an integer of 128 bits.\n\n",
                ">>> 0 < idgen.", $name, "_int() < 1 << 128\nTrue\n"
            ),
            |py| Form::Int.make(py, &$make(), Safety::Unknown),
        )?;
        add_function(
            $module,
            c_doc!($name, "_base64"),
            c_doc!(
                $name, "_base64()\n--\n\nA new id as ", $name, "(), in 22 characters of base64.\n\n",
                ">>> len(idgen.", $name, "_base64())\n22\n"
            ),
            |py| Form::Base64.make(py, &$make(), Safety::Unknown),
        )?;
    )+};
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for_kinds!(add_functions, module);
    add_function(
        module,
        c"short",
        c_doc!(
            "short()\n--\n\nA 64-bit device id: seconds, 16 random bits of this process and its forked children, a counter.\n\n\
             After 65,536 ids in a second it waits for the next one. Store it as BIGINT UNSIGNED, and send it as\n\
             text, because it exceeds the integers that JavaScript holds exactly.\n\n\
             >>> 0 < idgen.short() < 1 << 64\nTrue\n"
        ),
        |py| Form::Int.make_short(py, device::next_short()?),
    )?;
    add_function(
        module,
        c"short_str",
        c_doc!(
            "short_str()\n--\n\nA 64-bit device id as decimal text.\n\n>>> idgen.short_str().isdigit()\nTrue\n"
        ),
        |py| Form::Str.make_short(py, device::next_short()?),
    )?;
    add_function_of_one(
        module,
        c"mysql_short",
        c_doc!(
            "mysql_short(server_id, /)\n--\n\nA 64-bit id as MySQL's UUID_SHORT() returns it on a server with this id\n\
             (0 to 255) that starts with the first call. Forked processes share one counter; give other\n\
             processes other server ids.\n\n\
             >>> idgen.mysql_short(3) >> 56\n3\n"
        ),
        |server_id| Form::Int.make_short(server_id.py(), idgen::mysql_short(read_server_id(server_id)?)),
    )?;
    add_function_of_one(
        module,
        c"mysql_short_str",
        c_doc!(
            "mysql_short_str(server_id, /)\n--\n\nAs mysql_short(), as decimal text.\n\n\
             >>> idgen.mysql_short_str(3).isdigit()\nTrue\n"
        ),
        |server_id| Form::Str.make_short(server_id.py(), idgen::mysql_short(read_server_id(server_id)?)),
    )?;
    // The names of the standard library, for idgen.uuid.
    add_function(
        module,
        c"uuid4",
        c_doc!("uuid4()\n--\n\nGenerate a random UUID.\n\n>>> idgen.uuid.uuid4().version\n4\n"),
        |py| Form::Uuid.make(py, &idgen::v4(), Safety::Unknown),
    )?;
    add_function(
        module,
        c"uuid7",
        c_doc!(
            "uuid7()\n--\n\nGenerate a UUID from a Unix timestamp in milliseconds and random bits.\n\n\
             The ids of a thread ascend strictly, even within a millisecond.\n\n\
             >>> idgen.uuid.uuid7() < idgen.uuid.uuid7()\nTrue\n"
        ),
        |py| Form::Uuid.make(py, &idgen::v7(), Safety::Unknown),
    )
}
