//! Objects of the standard `uuid.UUID` class, created and read without its Python code.
//!
//! Only an exact `uuid.UUID` passes everywhere (database drivers, serializers, `isinstance`), and its
//! constructor costs more than half a microsecond. The class keeps its number in the slot `int` and its
//! safety in the slot `is_safe`; their places are read once from the class's member descriptors.
//! If the class has another layout (a class written in C, another interpreter), the public constructor creates the
//! objects, and the public attribute is read.
//!
//! An object is taken from the allocator without being handed to the cycle collector: a UUID refers to
//! an integer and a member of an enumeration, neither of which can refer back. So the collector does not traverse a list
//! of a million ids.

use std::sync::atomic::{AtomicPtr, Ordering};

use idgen::Uuid;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyType};

use super::digits::{digits_are_known, new_int, read_int};

/// The value of `is_safe`: generated in a way that is safe with several processes, or unknown.
#[derive(Clone, Copy)]
pub(crate) enum Safety {
    Safe,
    Unknown,
}

/// The class, as it was found.
struct Class {
    class: Py<PyType>,
    safe: Py<PyAny>,
    unknown: Py<PyAny>,
    slots: Option<Slots>,
}

/// The offsets of an object's two references, in bytes.
#[derive(Clone, Copy)]
struct Slots {
    int: usize,
    is_safe: usize,
    /// The one more word that an object may have: its list of weak references, up to 3.11.
    other: Option<usize>,
}

static CLASS: AtomicPtr<Class> = AtomicPtr::new(std::ptr::null_mut());

#[inline]
fn known() -> PyResult<&'static Class> {
    // SAFETY: null, or from `learn`, which never frees it.
    unsafe { CLASS.load(Ordering::Acquire).as_ref() }
        .ok_or_else(|| PyRuntimeError::new_err("idgen was not initialized"))
}

/// Takes this class as the class of ids: `uuid.UUID`, but in the tests of the slow way.
///
/// `safety` is its enumeration, `uuid.SafeUUID`.
pub(crate) fn learn(class: &Bound<'_, PyType>, safety: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = class.py();
    let mut learned = Class {
        class: class.clone().unbind(),
        safe: safety.getattr("safe")?.unbind(),
        unknown: safety.getattr("unknown")?.unbind(),
        slots: None,
    };
    if digits_are_known(py)? {
        learned.slots = imp::find_slots(class)?;
    }
    if learned.slots.is_some() && !agrees(py, &learned)? {
        learned.slots = None;
    }
    // Never freed, because a call in another thread may still read the former one. Outside of tests there is only one.
    CLASS.store(Box::into_raw(Box::new(learned)), Ordering::Release);
    Ok(())
}

/// Creates a few ids in both ways and compares them.
fn agrees(py: Python<'_>, class: &Class) -> PyResult<bool> {
    for number in [0, 1, u128::from(u64::MAX), 1 << 90, 1 << 119, 1 << 120, u128::MAX, 0x0123_4567 << 97] {
        let slow = class.construct(py, number, Safety::Unknown)?;
        let fast = class.make(py, number, Safety::Unknown)?;
        let alike = fast.get_type().is(class.class.bind(py))
            && fast.eq(&slow)?
            && fast.hash()? == slow.hash()?
            && fast.getattr("is_safe")?.is(class.unknown.bind(py))
            && fast.str()?.as_any().eq(slow.str()?)?
            && class.read(&fast)? == Some(number)
            && class.read(&slow)? == Some(number);
        if !alike {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether objects are made by their slots.
pub(crate) fn uses_slots() -> PyResult<bool> {
    Ok(known()?.slots.is_some())
}

/// A new `uuid.UUID`.
#[inline]
pub(crate) fn new_uuid(py: Python<'_>, id: Uuid, safety: Safety) -> PyResult<Bound<'_, PyAny>> {
    known()?.make(py, id.as_u128(), safety)
}

/// The id of a `uuid.UUID` or of an object of a class derived from it; `None` for anything else.
#[inline]
pub(crate) fn read_uuid(object: &Bound<'_, PyAny>) -> PyResult<Option<Uuid>> {
    Ok(known()?.read(object)?.map(Uuid::from_u128))
}

impl Class {
    #[inline]
    fn make<'py>(&self, py: Python<'py>, number: u128, safety: Safety) -> PyResult<Bound<'py, PyAny>> {
        match self.slots {
            Some(slots) => imp::make(py, self, slots, new_int(py, number)?, safety),
            None => self.construct(py, number, safety),
        }
    }

    fn safety(&self, safety: Safety) -> &Py<PyAny> {
        match safety {
            Safety::Safe => &self.safe,
            Safety::Unknown => &self.unknown,
        }
    }

    /// By the public constructor.
    #[cold]
    fn construct<'py>(&self, py: Python<'py>, number: u128, safety: Safety) -> PyResult<Bound<'py, PyAny>> {
        let number = number.into_pyobject(py)?;
        let arguments =
            [("int", number.as_any()), ("is_safe", self.safety(safety).bind(py))].into_py_dict(py)?;
        self.class.bind(py).call((), Some(&arguments))
    }

    #[inline]
    fn read(&self, object: &Bound<'_, PyAny>) -> PyResult<Option<u128>> {
        let class = self.class.bind(object.py());
        let exact = std::ptr::eq(object.get_type_ptr(), class.as_type_ptr());
        let int = match self.slots {
            Some(slots) if exact => imp::number_of(object, slots),
            // A derived class need not have its base's layout: asyncpg's only claims to be derived.
            _ if exact || object.is_instance(class)? => None,
            _ => return Ok(None),
        };
        match int.map(|int| read_int(&int)) {
            Some(Ok(number)) => Ok(Some(number)),
            _ => self.ask(object).map(Some),
        }
    }

    /// By the public attribute.
    #[cold]
    fn ask(&self, object: &Bound<'_, PyAny>) -> PyResult<u128> {
        let int = object.getattr(intern!(object.py(), "int"))?;
        read_int(&int).map_err(|_| PyValueError::new_err("the number of a UUID is not one of 128 bits"))
    }
}

mod imp {
    use super::*;

    const WORD: usize = size_of::<*mut ffi::PyObject>();
    const GENERIC: ffi::allocfunc = ffi::PyType_GenericAlloc;

    /// The slots, if the class is as the standard library's Python code creates it.
    pub(super) fn find_slots(class: &Bound<'_, PyType>) -> PyResult<Option<Slots>> {
        let pointer = class.as_type_ptr();
        // SAFETY: attached; a type object lives as long as the `Bound` to it.
        let (size, plain) = unsafe {
            let plain = ffi::PyType_HasFeature(pointer, ffi::Py_TPFLAGS_HEAPTYPE) != 0
                && ffi::PyType_IS_GC(pointer) != 0
                && (*pointer).tp_itemsize == 0
                && (*pointer).tp_dictoffset == 0
                && (*pointer).tp_alloc.is_some_and(|alloc| std::ptr::fn_addr_eq(alloc, GENERIC));
            ((*pointer).tp_basicsize as usize, plain)
        };
        if !plain {
            return Ok(None);
        }
        let (Some(int), Some(is_safe)) = (slot(class, "int", size)?, slot(class, "is_safe", size)?) else {
            return Ok(None);
        };
        let words = (size_of::<ffi::PyObject>()..size).step_by(WORD);
        let mut others = words.filter(|word| *word != int && *word != is_safe);
        let other = others.next();
        Ok((int != is_safe && others.next().is_none()).then_some(Slots { int, is_safe, other }))
    }

    /// The place of a slot, if the class's own dictionary has a descriptor of one under this name.
    fn slot(class: &Bound<'_, PyType>, name: &str, size: usize) -> PyResult<Option<usize>> {
        let Ok(descriptor) = class.getattr("__dict__")?.get_item(name) else { return Ok(None) };
        // SAFETY: attached; the type is checked before the object is read as one. The definition that a
        // descriptor points at lives as long as its class. (For 3.10, PyO3 gives the pointer another
        // type; it is a PyMemberDef in all versions.)
        let offset = unsafe {
            if !std::ptr::eq(descriptor.get_type_ptr(), &raw mut ffi::PyMemberDescr_Type) {
                return Ok(None);
            }
            let descriptor = descriptor.as_ptr().cast::<ffi::PyMemberDescrObject>();
            let member = (*descriptor).d_member.cast::<ffi::PyMemberDef>();
            if (*descriptor).d_common.d_type != class.as_type_ptr()
                || (*member).type_code != ffi::Py_T_OBJECT_EX
            {
                return Ok(None);
            }
            (*member).offset
        };
        let inside = size_of::<ffi::PyObject>()..=size.saturating_sub(WORD);
        Ok(usize::try_from(offset).ok().filter(|offset| inside.contains(offset)))
    }

    #[inline]
    pub(super) fn make<'py>(
        py: Python<'py>,
        class: &Class,
        slots: Slots,
        int: Bound<'py, PyAny>,
        safety: Safety,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: attached (`py`). `find_slots` saw a class whose objects the generic allocator makes:
        // the head, which `PyObject_GC_New` writes, then two slots and at most one word more, all of which
        // are written here. The slots hold owned references. The cycle collector is not told of the
        // object, which its deallocator allows.
        unsafe {
            let object: *mut ffi::PyObject = ffi::PyObject_GC_New(class.class.as_ptr().cast());
            if object.is_null() {
                return Err(PyErr::fetch(py));
            }
            let place = |offset: usize| object.cast::<u8>().add(offset).cast::<*mut ffi::PyObject>();
            place(slots.int).write(int.into_ptr());
            place(slots.is_safe).write(class.safety(safety).clone_ref(py).into_ptr());
            if let Some(other) = slots.other {
                place(other).write(std::ptr::null_mut());
            }
            Ok(Bound::from_owned_ptr(py, object))
        }
    }

    /// The content of the slot `int` of an object of the class; `None` if it was never set.
    #[inline]
    pub(super) fn number_of<'py>(object: &Bound<'py, PyAny>, slots: Slots) -> Option<Bound<'py, PyAny>> {
        // SAFETY: the caller checked that the object is of this very class. A UUID refuses assignments, so
        // the reference stays while a new one is taken.
        unsafe {
            let place = object.as_ptr().cast::<u8>().add(slots.int).cast::<*mut ffi::PyObject>();
            Bound::from_borrowed_ptr_or_opt(object.py(), place.read())
        }
    }
}
