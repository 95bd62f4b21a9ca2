// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"

#include <utility>

#include "edge/tools/edit_tool.h"

namespace banyan::edge {

std::vector<std::unique_ptr<Tool>> AllTools(ToolClients clients,
                                            const std::string& version) {
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(NewListProjectsTool(clients));
  tools.push_back(NewActivateProjectTool(clients));
  tools.push_back(NewGetCurrentConfigTool(clients, version));
  tools.push_back(NewReleaseWorkspaceTool(clients));
  tools.push_back(NewListDirTool(clients));
  tools.push_back(NewFindFileTool(clients));
  tools.push_back(NewReadFileTool(clients));
  tools.push_back(NewSearchForPatternTool(clients));
  tools.push_back(NewGetSymbolsOverviewTool(clients));
  tools.push_back(NewFindSymbolTool(clients));
  tools.push_back(NewFindReferencingSymbolsTool(clients));
  tools.push_back(NewFindDeclarationTool(clients));
  tools.push_back(NewFindImplementationsTool(clients));
  tools.push_back(NewGetSymbolInfoTool(clients));
  tools.push_back(NewGetDiagnosticsTool(clients));
  tools.push_back(NewListCodeActionsTool(clients));
  tools.push_back(NewWorkspaceActivityTool(clients));
  tools.push_back(NewPreviewEditTool(clients));
  std::vector<EditDefinition> edits = AllEdits();
  for (EditDefinition& edit : edits) {
    tools.push_back(NewEditTool(clients, std::move(edit)));
  }
  tools.push_back(NewListMemoriesTool(clients));
  tools.push_back(NewReadMemoryTool(clients));
  tools.push_back(NewWriteMemoryTool(clients));
  tools.push_back(NewEditMemoryTool(clients));
  tools.push_back(NewRenameMemoryTool(clients));
  tools.push_back(NewDeleteMemoryTool(clients));
  return tools;
}

}  // namespace banyan::edge
