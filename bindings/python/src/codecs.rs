//! The codecs: `to_*` writes an id in a form, `from_*` reads exactly that form, `parse` reads every form.

use idgen::Uuid;
use idgen::codec::{
    Format, base32, base32hex, base32human, base64, base64url, guid, hyphenated, int, java_legacy, order,
    ordered64, simple, swapped,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyString};

use crate::cpython::{Safety, add_function_of_one, c_doc, new_int, new_text, new_uuid, read_uuid};
use crate::errors::raise;

/// The id in a `uuid.UUID`, 16 bytes, or a text of any form.
#[inline]
pub(crate) fn read_id(object: &Bound<'_, PyAny>) -> PyResult<Uuid> {
    // First, because checking that a `str` is not an instance of the class takes as long as reading the text.
    if let Ok(text) = object.cast_exact::<PyString>() {
        return read_text(text.to_str()?);
    }
    if let Some(id) = read_uuid(object)? {
        return Ok(id);
    }
    if let Ok(text) = object.cast::<PyString>() {
        return read_text(text.to_str()?);
    }
    if let Some(id) = read_foreign(object) {
        return Ok(id);
    }
    with_bytes(object, "a uuid.UUID, str or bytes", |bytes| Format::Binary.decode(bytes).map_err(raise))
}

/// The id in a `uuid.UUID`, 16 bytes, or a text that can only be a UUID: hexadecimal digits.
///
/// For what is stored for good. Decimal numbers, ULIDs and base64 are rarely meant as UUIDs: 42 is one of them.
pub(crate) fn read_uuid_only(object: &Bound<'_, PyAny>) -> PyResult<Uuid> {
    if let Some(id) = read_uuid(object)? {
        return Ok(id);
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Format::decode_uuid(text.to_str()?).map_err(raise);
    }
    if let Some(id) = read_foreign(object) {
        return Ok(id);
    }
    with_bytes(object, "a uuid.UUID, str or bytes", |bytes| {
        // The variant of a UUID of RFC 9562 is no such character.
        if !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-') {
            let text = String::from_utf8_lossy(bytes);
            return Err(PyValueError::new_err(format!(
                "b{text:?} is text, not the 16 bytes of a UUID: decode it first"
            )));
        }
        Format::Binary.decode(bytes).map_err(raise)
    })
}

#[inline]
fn read_text(text: &str) -> PyResult<Uuid> {
    // The usual form first. If the text has no form at all, the error is that of the detection of the form.
    if text.len() == hyphenated::LEN
        && let Ok(id) = hyphenated::decode(text)
    {
        return Ok(id);
    }
    Format::decode_any(text).map(|(_, id)| id).map_err(raise)
}

/// Calls `read` with the content of a `bytes` or `bytearray`.
fn with_bytes<T>(
    object: &Bound<'_, PyAny>,
    expected: &str,
    read: impl FnOnce(&[u8]) -> PyResult<T>,
) -> PyResult<T> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return read(bytes.as_bytes());
    }
    if let Ok(bytes) = object.cast::<PyByteArray>() {
        return read(&bytes.to_vec());
    }
    Err(PyTypeError::new_err(format!("expected {expected}, not {}", full_name(object)?)))
}

/// The name of an object's class with its module: many packages have a class UUID.
fn full_name(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let class = object.get_type();
    let (module, name) = (class.module()?.to_string(), class.qualname()?);
    Ok(if module == "builtins" { name.to_string() } else { format!("{module}.{name}") })
}

/// The id in an object of another package that has, as `uuid.UUID` does, its bytes and the same number.
fn read_foreign(object: &Bound<'_, PyAny>) -> Option<Uuid> {
    let py = object.py();
    let bytes = object.getattr_opt(intern!(py, "bytes")).ok()??;
    let id = Uuid::from_slice(bytes.cast::<PyBytes>().ok()?.as_bytes()).ok()?;
    let number = object.getattr_opt(intern!(py, "int")).ok()??;
    // Packages whose bytes are in another order, such as that of a GUID, are not guessed.
    (number.extract::<u128>().ok()? == id.as_u128()).then_some(id)
}

/// Text for the strict readers: a `str`, or ASCII in `bytes`, as drivers return it.
#[inline]
fn from_text<'py>(
    object: &Bound<'py, PyAny>,
    decode: impl FnOnce(&[u8]) -> idgen::Result<Uuid>,
) -> PyResult<Bound<'py, PyAny>> {
    let id = match object.cast::<PyString>() {
        Ok(text) => decode(text.to_str()?.as_bytes()).map_err(raise)?,
        Err(_) => with_bytes(object, "str or bytes", |bytes| decode(bytes).map_err(raise))?,
    };
    new_uuid(object.py(), id, Safety::Unknown)
}

fn from_bytes<'py>(
    object: &Bound<'py, PyAny>,
    decode: impl FnOnce(&[u8]) -> idgen::Result<Uuid>,
) -> PyResult<Bound<'py, PyAny>> {
    let id = with_bytes(object, "bytes", |bytes| decode(bytes).map_err(raise))?;
    new_uuid(object.py(), id, Safety::Unknown)
}

/// The two text formats that `idgen` has only as a `Format`, in the shape of the modules of the others.
macro_rules! format_modules {
    ($($name:ident = $format:ident, $len:literal;)+) => {$(
        mod $name {
            use idgen::Uuid;
            use idgen::codec::Format;

            pub(super) fn encode<'t>(id: &Uuid, text: &'t mut [u8; $len]) -> &'t mut str {
                id.$name().encode_lower(text)
            }

            pub(super) fn decode(text: &[u8]) -> idgen::Result<Uuid> {
                Format::$format.decode(text)
            }
        }
    )+};
}

format_modules! {
    urn = Urn, 45;
    braced = Braced, 38;
}

/// Adds `to_NAME` and `from_NAME` of each form that has a fixed length.
macro_rules! text_forms {
    ($module:ident, $($name:literal = $form:ident, $what:literal, $example:literal;)+) => {$(
        add_function_of_one(
            $module,
            c_doc!("to_", $name),
            c_doc!(
                "to_", $name, "(id, /)\n--\n\nWrites an id as ", $what, ".\n\n",
                "The id is a uuid.UUID, 16 bytes, or a text of any form.\n\n",
                ">>> idgen.to_", $name, "('6ccd780c-baba-1026-9564-5b8c656024db')\n'", $example, "'\n"
            ),
            |id| {
                let uuid = read_id(id)?;
                new_text(id.py(), |text| $form::encode(&uuid, text))
            },
        )?;
        add_function_of_one(
            $module,
            c_doc!("from_", $name),
            c_doc!(
                "from_", $name, "(text, /)\n--\n\nReads ", $what, ". Raises ValueError for any other text.\n\n",
                "The text is a str, or ASCII in bytes.\n\n",
                ">>> idgen.from_", $name, "('", $example, "')\n",
                "UUID('6ccd780c-baba-1026-9564-5b8c656024db')\n"
            ),
            |text| from_text(text, |text| $form::decode(text)),
        )?;
    )+};
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    text_forms! { module,
        "str" = hyphenated, "the usual 36 characters", "6ccd780c-baba-1026-9564-5b8c656024db";
        "hex" = simple, "32 hexadecimal digits", "6ccd780cbaba102695645b8c656024db";
        "urn" = urn, "a URN of 45 characters", "urn:uuid:6ccd780c-baba-1026-9564-5b8c656024db";
        "braced" = braced, "38 characters in braces", "{6ccd780c-baba-1026-9564-5b8c656024db}";
        "base64" = base64, "22 characters of base64, as MySQL's TO_BASE64()", "bM14DLq6ECaVZFuMZWAk2w";
        "base64url" = base64url, "22 characters of base64 for URLs", "bM14DLq6ECaVZFuMZWAk2w";
        "ordered64" = ordered64, "22 characters that sort like the id", "QBps2Aeu31PKO4iBOL-Zqk";
        "base64sort" = ordered64, "22 characters of a base64 that sorts, the same as ordered64", "QBps2Aeu31PKO4iBOL-Zqk";
        "base32" = base32, "26 characters of Crockford's base 32, as ULIDs are written", "3CSNW0SENT20K9AS2VHHJP096V";
        "base32hex" = base32hex, "26 characters of base32hex (RFC 4648)", "DJ6NG35QN882D5B4BE66AO14RC";
        "base32human" = base32human, "26 characters of the draft Base32 for Humans", "DK6QG35TQ882D5B4BE66AR14VC";
    }
    add_function_of_one(
        module,
        c"to_int",
        c_doc!(
            "to_int(id, /)\n--\n\nThe id as an integer of 128 bits.\n\n\
             >>> idgen.to_int('6ccd780c-baba-1026-9564-5b8c656024db')\n144623479298450090607906173242916742363\n"
        ),
        |id| new_int(id.py(), read_id(id)?.as_u128()),
    )?;
    add_function_of_one(
        module,
        c"from_int",
        c_doc!(
            "from_int(number, /)\n--\n\nThe id of an integer, or of a decimal text, of at most 128 bits.\n\n\
             >>> idgen.from_int(144623479298450090607906173242916742363)\nUUID('6ccd780c-baba-1026-9564-5b8c656024db')\n"
        ),
        from_int,
    )?;
    add_function_of_one(
        module,
        c"to_bytes",
        c_doc!(
            "to_bytes(id, /)\n--\n\nThe 16 bytes of an id, for a BINARY(16) column: MySQL's UUID_TO_BIN(id).\n\n\
             >>> idgen.to_bytes('6ccd780c-baba-1026-9564-5b8c656024db').hex()\n'6ccd780cbaba102695645b8c656024db'\n"
        ),
        |id| Ok(PyBytes::new(id.py(), read_id(id)?.as_bytes()).into_any()),
    )?;
    add_function_of_one(
        module,
        c"from_bytes",
        c_doc!(
            "from_bytes(data, /)\n--\n\nThe id of 16 bytes: MySQL's BIN_TO_UUID(data).\n\n\
             >>> idgen.from_bytes(bytes(16))\nUUID('00000000-0000-0000-0000-000000000000')\n"
        ),
        |data| from_bytes(data, |bytes| Format::Binary.decode(bytes)),
    )?;
    add_function_of_one(
        module,
        c"to_swapped",
        c_doc!(
            "to_swapped(id, /)\n--\n\nThe 16 bytes of a version 1 id with its time in order: MySQL's UUID_TO_BIN(id, 1).\n\n\
             >>> idgen.to_swapped('6ccd780c-baba-1026-9564-5b8c656024db').hex()\n'1026baba6ccd780c95645b8c656024db'\n"
        ),
        |id| Ok(PyBytes::new(id.py(), &swapped::to_bytes(&read_id(id)?)).into_any()),
    )?;
    add_function_of_one(
        module,
        c"from_swapped",
        c_doc!(
            "from_swapped(data, /)\n--\n\nThe id of 16 swapped bytes: MySQL's BIN_TO_UUID(data, 1).\n\n\
             >>> idgen.from_swapped(idgen.to_swapped('6ccd780c-baba-1026-9564-5b8c656024db'))\nUUID('6ccd780c-baba-1026-9564-5b8c656024db')\n"
        ),
        |data| from_bytes(data, |bytes| Format::Swapped.decode(bytes)),
    )?;
    add_function_of_one(
        module,
        c"to_guid",
        c_doc!(
            "to_guid(id, /)\n--\n\nThe 16 bytes of a GUID in .NET and SQL Server: uuid.UUID.bytes_le.\n\n\
             >>> idgen.to_guid('6ccd780c-baba-1026-9564-5b8c656024db').hex()\n'0c78cd6cbaba261095645b8c656024db'\n"
        ),
        |id| Ok(PyBytes::new(id.py(), &guid::to_bytes(&read_id(id)?)).into_any()),
    )?;
    add_function_of_one(
        module,
        c"from_guid",
        c_doc!(
            "from_guid(data, /)\n--\n\nThe id of the 16 bytes of a GUID in .NET and SQL Server.\n\n\
             >>> idgen.from_guid(idgen.to_guid('6ccd780c-baba-1026-9564-5b8c656024db'))\nUUID('6ccd780c-baba-1026-9564-5b8c656024db')\n"
        ),
        |data| from_bytes(data, |bytes| guid::decode(bytes)),
    )?;
    add_function_of_one(
        module,
        c"to_java_legacy",
        c_doc!(
            "to_java_legacy(id, /)\n--\n\nThe 16 bytes with both halves reversed: MongoDB's JAVA_LEGACY (subtype 3) and ClickHouse's binary form.\n\n\
             >>> idgen.to_java_legacy('6ccd780c-baba-1026-9564-5b8c656024db').hex()\n'2610baba0c78cd6cdb2460658c5b6495'\n"
        ),
        |id| Ok(PyBytes::new(id.py(), &java_legacy::to_bytes(&read_id(id)?)).into_any()),
    )?;
    add_function_of_one(
        module,
        c"from_java_legacy",
        c_doc!(
            "from_java_legacy(data, /)\n--\n\nThe id of 16 bytes with both halves reversed.\n\n\
             >>> idgen.from_java_legacy(bytes.fromhex('2610baba0c78cd6cdb2460658c5b6495'))\nUUID('6ccd780c-baba-1026-9564-5b8c656024db')\n"
        ),
        |data| from_bytes(data, |bytes| java_legacy::decode(bytes)),
    )?;
    add_function_of_one(
        module,
        c"to_timeuuid",
        c_doc!(
            "to_timeuuid(id, /)\n--\n\nThe 16 bytes that compare as Cassandra compares a timeuuid, which has ids of version 1 alone.\n\n\
             >>> idgen.to_timeuuid('6ccd780c-baba-1026-9564-5b8c656024db').hex()\n'1026baba6ccd780c15e4db0ce5e0a45b'\n"
        ),
        |id| Ok(PyBytes::new(id.py(), &order::timeuuid(&read_id(id)?)).into_any()),
    )?;
    add_function_of_one(
        module,
        c"from_timeuuid",
        c_doc!(
            "from_timeuuid(data, /)\n--\n\nThe id of 16 bytes in the order of Cassandra's timeuuid.\n\n\
             >>> idgen.from_timeuuid(bytes.fromhex('1026baba6ccd780c15e4db0ce5e0a45b'))\nUUID('6ccd780c-baba-1026-9564-5b8c656024db')\n"
        ),
        |data| from_bytes(data, |bytes| Ok(order::from_timeuuid(Format::Binary.decode(bytes)?.into_bytes()))),
    )?;
    add_function_of_one(
        module,
        c"parse",
        c_doc!(
            "parse(id, /)\n--\n\nReads an id from a text of any form, 16 bytes, or a uuid.UUID.\n\n\
             ValueError where no form could have written the text.\n\n\
             >>> idgen.parse('bM14DLq6ECaVZFuMZWAk2w')\nUUID('6ccd780c-baba-1026-9564-5b8c656024db')\n"
        ),
        |id| new_uuid(id.py(), read_id(id)?, Safety::Unknown),
    )
}

/// The id that is this integer.
pub(crate) fn read_int(number: &Bound<'_, PyAny>) -> PyResult<Uuid> {
    let wide = |_| PyValueError::new_err("int is out of range (need a 128-bit value)");
    number.extract().map(Uuid::from_u128).map_err(wide)
}

fn from_int<'py>(number: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if number.is_instance_of::<PyInt>() {
        return new_uuid(number.py(), read_int(number)?, Safety::Unknown);
    }
    if !number.is_instance_of::<PyString>() {
        let found = number.get_type().name()?;
        return Err(PyTypeError::new_err(format!("expected int or str, not {found}")));
    }
    from_text(number, |text| int::decode(text))
}
