// The window's options in the engine's words, and the engine's results in the window's.
#pragma once

#include <QString>

#include <hearth/engine.h>

#include "bridge/inference_service.h"

namespace hearth::ui {

// Folders and the program's path are left out.
EngineOptions engineOptionsOf(const LoadOptions& options);
GenerationOptions generationOptionsOf(const GenerationSettings& settings);

// path: of the model, as it was asked for.
ModelSummary modelSummaryOf(const Engine& engine, const QString& path);
EngineReport engineReportOf(const Engine& engine);
// Calls of tools are left out.
GenerationSummary generationSummaryOf(const GenerationResult& result, const Engine& engine);

}  // namespace hearth::ui
