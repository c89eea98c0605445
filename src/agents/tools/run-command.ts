import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { editorRoles } from './roles.ts'
import { defineTool, refuse } from './tool.ts'

export const runCommand = defineTool({
  kind: 'command',
  name: 'run_command',
  purpose:
    'Run a shell command in the repository, without network. The repository is read-only while you plan. Every process it starts is ended with it.',
  input: z.strictObject({
    command: z.string().min(1),
    timeout_sec: z
      .int()
      .min(1)
      .max(limits.commandTimeoutMostSec)
      .optional()
      .describe(`default ${limits.commandTimeoutSec}, at most ${limits.commandTimeoutMostSec}`),
  }),
  roles: editorRoles,
  async run({ command, timeout_sec = limits.commandTimeoutSec }, { session, signal }) {
    const timeoutMs = timeout_sec * 1_000
    const maxBytes = limits.toolResultChars - limits.toolResultFrame
    const reply = await session.request({ op: 'run', command, timeoutMs, maxBytes }, signal)
    if (!reply.ok) return refuse(reply.message)
    const { exitCode, timedOut, output: printed } = reply.value
    // Colours are of no use to a model.
    const output = stripVTControlCharacters(printed)
    const end = timedOut
      ? `timed out after ${timeout_sec} s and was killed`
      : `exit code ${exitCode ?? 'none: it was killed'}`
    return {
      ok: exitCode === 0 && !timedOut,
      output: `${output}${output.endsWith('\n') || output === '' ? '' : '\n'}(${end})`,
    }
  },
})
