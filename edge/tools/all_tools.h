// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_ALL_TOOLS_H_
#define EDGE_TOOLS_ALL_TOOLS_H_

#include <memory>
#include <string>
#include <vector>

#include "edge/tools/tool.h"

namespace banyan::edge {

// Each is defined in the file of the tool's name.
std::unique_ptr<Tool> NewListProjectsTool(ToolClients clients);
std::unique_ptr<Tool> NewActivateProjectTool(ToolClients clients);
std::unique_ptr<Tool> NewGetCurrentConfigTool(ToolClients clients,
                                              std::string version);
std::unique_ptr<Tool> NewReleaseWorkspaceTool(ToolClients clients);
std::unique_ptr<Tool> NewListDirTool(ToolClients clients);
std::unique_ptr<Tool> NewFindFileTool(ToolClients clients);
std::unique_ptr<Tool> NewReadFileTool(ToolClients clients);
std::unique_ptr<Tool> NewSearchForPatternTool(ToolClients clients);
std::unique_ptr<Tool> NewGetSymbolsOverviewTool(ToolClients clients);
std::unique_ptr<Tool> NewFindSymbolTool(ToolClients clients);
std::unique_ptr<Tool> NewFindReferencingSymbolsTool(ToolClients clients);
std::unique_ptr<Tool> NewFindDeclarationTool(ToolClients clients);
std::unique_ptr<Tool> NewFindImplementationsTool(ToolClients clients);
std::unique_ptr<Tool> NewGetSymbolInfoTool(ToolClients clients);
std::unique_ptr<Tool> NewGetDiagnosticsTool(ToolClients clients);
std::unique_ptr<Tool> NewListCodeActionsTool(ToolClients clients);
std::unique_ptr<Tool> NewWorkspaceActivityTool(ToolClients clients);
std::unique_ptr<Tool> NewPreviewEditTool(ToolClients clients);
std::unique_ptr<Tool> NewListMemoriesTool(ToolClients clients);
std::unique_ptr<Tool> NewReadMemoryTool(ToolClients clients);
std::unique_ptr<Tool> NewWriteMemoryTool(ToolClients clients);
std::unique_ptr<Tool> NewEditMemoryTool(ToolClients clients);
std::unique_ptr<Tool> NewRenameMemoryTool(ToolClients clients);
std::unique_ptr<Tool> NewDeleteMemoryTool(ToolClients clients);

// In the order in which clients see them: list_projects first, since it can be
// called with no arguments at all. `version` is this program's.
std::vector<std::unique_ptr<Tool>> AllTools(ToolClients clients,
                                            const std::string& version);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_ALL_TOOLS_H_
