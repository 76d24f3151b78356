"""A model from its file to its results: import, compile, run all samples in batches."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig
from openipu.sw.compiler import Executable, OutOfMemoryError, compile
from openipu.sw.engine import Engine
from openipu.sw.frontends.onnx import Imported, Model, ModelError, import_model, load
from openipu.sw.graph import View

DEFAULT_BATCH = 64


@dataclass(frozen=True)
class CompiledModel:
    """A model for one chip and batch size."""

    imported: Imported
    executable: Executable

    @property
    def model(self) -> Model:
        """The model."""
        return self.imported.model

    @property
    def batch(self) -> int:
        """Samples that one run takes."""
        return self.imported.batch


def compile_model(model: Model | str | Path, config: ChipConfig, *, batch: int) -> CompiledModel:
    """Compile a model or model file for a chip.

    Raises ModelError, GraphError, CompileError.
    """
    checked = model if isinstance(model, Model) else load(model)
    imported = import_model(checked, config, batch=batch)
    return CompiledModel(imported, compile(imported.graph, imported.program, config))


def batches_join(model: Model) -> bool:
    """Return whether every output has the samples as its first dimension.

    Otherwise it is of all samples together, and they can't be run in several batches.
    """
    return all(port.shape and port.shape[0] == model.batch for port in model.outputs)


def batch_for(model: Model, samples: int) -> int:
    """Return the batch size for so many samples: all at once up to `DEFAULT_BATCH`."""
    if model.batch is None:
        return 1
    return min(samples, DEFAULT_BATCH) if batches_join(model) else samples


def fit_model(model: Model, config: ChipConfig, samples: int) -> CompiledModel:
    """Compile a model for so many samples, in batches as large as the chip has memory for.

    Raises as `compile_model`, OutOfMemoryError if not even one sample fits.
    """
    batch = batch_for(model, samples)
    while True:
        try:
            return compile_model(model, config, batch=batch)
        except OutOfMemoryError:
            if batch == 1 or not batches_join(model):
                raise
            batch = -(-batch // 2)


def predict(
    engine: Engine,
    compiled: CompiledModel,
    inputs: Mapping[str, NDArray[Any]],
    samples: int,
    *,
    progress: Callable[[int], None] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the model's outputs for all samples, running batch after batch.

    `inputs` are as `frontends.onnx.check_inputs` returns them. The last batch is filled up with
    zeros, whose results are dropped: samples must not depend on each other, unless one batch takes
    exactly all. `progress` is called with the number of samples done. Raises ModelError.
    """
    model, batch = compiled.model, compiled.batch
    if model.batch is not None and batch != samples and not batches_join(model):
        raise ModelError(
            f"batch must be the number of samples, {samples}, not {batch}: an output is of all "
            f"samples together ({'; '.join(map(str, model.outputs))})"
        )
    parts: dict[str, list[NDArray[Any]]] = {port.name: [] for port in model.outputs}
    for first in range(0, samples, batch):
        count = min(batch, samples - first)
        for port in model.inputs:
            tensor = compiled.imported.inputs[port.name]
            values = inputs[port.name]
            if model.batch is not None and port.shape and port.shape[0] == model.batch:
                values = values[first : first + count]
                padding = [(0, batch - count)] + [(0, 0)] * (values.ndim - 1)
                values = np.pad(values, padding)
            assert isinstance(tensor.data, View)
            engine.write(tensor.data.variable, values)
        engine.run()
        for port in model.outputs:
            tensor = compiled.imported.outputs[port.name]
            if isinstance(tensor.data, View):
                value = tensor.read(engine.read(tensor.data.variable).reshape(-1))
            else:
                value = tensor.data
            parts[port.name].append(value[:count] if count < batch else value)
        if progress is not None:
            progress(first + count)
    batched = model.batch is not None and samples > batch
    return {
        name: np.concatenate(values) if batched else values[0] for name, values in parts.items()
    }
