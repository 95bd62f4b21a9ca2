// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"

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
  return tools;
}

}  // namespace banyan::edge
