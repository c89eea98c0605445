import { expect, test } from 'vitest'
import { runTarget } from './fuzz/run-target.ts'
import { agentMessages } from './fuzz/targets/agent-messages.ts'
import { api } from './fuzz/targets/api.ts'
import { applyPatch } from './fuzz/targets/apply-patch.ts'
import { ciOutput } from './fuzz/targets/ci-output.ts'
import { config } from './fuzz/targets/config.ts'
import { conflictMarkersTarget } from './fuzz/targets/conflict-markers.ts'
import { diff } from './fuzz/targets/diff.ts'
import { editFile } from './fuzz/targets/edit-file.ts'
import { gateRules } from './fuzz/targets/gate-rules.ts'
import { gateway } from './fuzz/targets/gateway.ts'
import { guides } from './fuzz/targets/guides.ts'
import { issueText } from './fuzz/targets/issue-text.ts'
import { mcpDefinitions } from './fuzz/targets/mcp-definitions.ts'
import { normalisedOutputTarget } from './fuzz/targets/normalised-output.ts'
import { packedLayer } from './fuzz/targets/packed-layer.ts'
import { pushCommands } from './fuzz/targets/push-commands.ts'
import { receipt } from './fuzz/targets/receipt.ts'
import { replayFile } from './fuzz/targets/replay-file.ts'
import { suite } from './fuzz/targets/suite.ts'
import { testReports } from './fuzz/targets/test-reports.ts'
import { toolArguments } from './fuzz/targets/tool-arguments.ts'

const amount = { cases: 200, seed: 1_907, keeps: false }
/** For targets that use a server, a sandbox or the disk. */
const few = { ...amount, cases: 40 }

test.each([
  ['edit-file', () => runTarget(editFile, amount)],
  ['apply-patch', () => runTarget(applyPatch, amount)],
  ['diff', () => runTarget(diff, amount)],
  ['conflict-markers', () => runTarget(conflictMarkersTarget, amount)],
  ['test-reports', () => runTarget(testReports, amount)],
  ['replay-file', () => runTarget(replayFile, amount)],
  ['config', () => runTarget(config, few)],
  ['normalised-output', () => runTarget(normalisedOutputTarget, amount)],
  ['suite', () => runTarget(suite, amount)],
  ['receipt', () => runTarget(receipt, amount)],
  ['gate-rules', () => runTarget(gateRules, amount)],
  ['gateway', () => runTarget(gateway, amount)],
  ['guides', () => runTarget(guides, amount)],
  ['tool-arguments', () => runTarget(toolArguments, few)],
  ['api', () => runTarget(api, { ...few, cases: 10 })],
  ['ci-output', () => runTarget(ciOutput, few)],
  ['agent-messages', () => runTarget(agentMessages, amount)],
  ['issue-text', () => runTarget(issueText, amount)],
  ['push-commands', () => runTarget(pushCommands, amount)],
  ['packed-layer', () => runTarget(packedLayer, few)],
  ['mcp-definitions', () => runTarget(mcpDefinitions, amount)],
])('%s holds for all that ever broke it, and for some new inputs', async (_name, run) => {
  expect((await run()).replayed).toBeGreaterThan(0)
})
