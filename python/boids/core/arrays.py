"""The gate for arrays of users: what is a number, what is missing and what is a step is decided here."""

from numbers import Real
from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from .errors import ConfigError
from .sanitize import one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Integers = NDArray[np.int64]
else:
    Array = Integers = np.ndarray  # in the pages of help()

LAST_STEP = 2**53 - 1


def _checked_number(value: Any) -> float:
    if value is None or type(value).__name__ == "NAType":  # of pandas
        return np.nan
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"it has {one_line(repr(value))[:40]}")
    return float(value)


def numbers(
    name: str,
    values: Any,
    shape: Optional[Tuple[int, ...]] = None,
    *,
    missing: Optional[str] = None,
    infinite: bool = False,
) -> Array:
    """Return an argument as a float64 array. Complex numbers, dates, booleans and texts are refused.

    Args:
        shape: what it must be; None: any.
        missing: why no number may be missing (NaN, masked, None or NA of pandas); None: such numbers become NaN.
        infinite: whether numbers may be infinite.
    """
    if (
        type(values) is np.ndarray  # the quick way
        and values.dtype == np.float64
        and shape in (None, values.shape)
        and np.isfinite(values).all()
    ):
        return values
    dtype: Any = getattr(values, "dtype", None)
    if hasattr(dtype, "na_value") and dtype.kind in "iuf":  # Int64 and Float64 of pandas
        values = values.to_numpy(np.float64, na_value=np.nan)
    try:
        ma: Any = np.ma
        masked = ma.asanyarray(values)
        array, mask = np.asarray(masked), ma.getmaskarray(masked)
        if array.dtype.kind == "O":
            cells = [
                np.nan if hidden else _checked_number(cell)
                for cell, hidden in zip(array.flat, mask.flat)
            ]
            array = np.array(cells, np.float64).reshape(array.shape)
        if array.dtype.kind not in "iuf":
            raise TypeError(f"its type is {array.dtype}")
        if missing and mask.any():
            raise TypeError("it is masked")
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigError(f"{name} is no array of numbers: {one_line(error)}") from None
    array = array.astype(np.float64, copy=False)
    if mask.any():
        array = np.where(mask, np.nan, array)
    if shape is not None and array.shape != shape:
        raise ConfigError(f"{name} has the shape {array.shape}; it must be {shape}")
    for wrong, why in (
        (np.isinf(array) & (not infinite), "it must be finite"),
        (np.isnan(array) & bool(missing), missing),
    ):
        if wrong.any():
            at = np.argwhere(wrong)[0]
            at = at[: -1 if array.ndim > 1 else None]
            raise ConfigError(
                f"{name}[{', '.join(map(str, at))}] is {array[tuple(at)].tolist()}; {why}"
            )
    return array


def steps_of(values: Any) -> Integers:
    """Return steps, int64 (T), of whole numbers of any type."""
    steps = numbers("steps", values, missing="steps must be whole numbers that rise")
    if steps.ndim != 1 or (steps % 1).any():
        raise ConfigError("steps must be whole numbers that rise")
    first, last = np.min(steps, initial=0), np.max(steps, initial=0)
    if first < 0 or last > LAST_STEP:
        raise ConfigError(
            f"steps has {first if first < 0 else last:.0f}; steps are from 0 to 2^53, so count them from the first frame (steps - steps[0]), "
            "and keep its time beside them"
        )
    return steps.astype(np.int64)
