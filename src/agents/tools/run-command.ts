import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { endsWith } from './check-command.ts'
import { editorRoles } from './roles.ts'
import { shownOutput } from './shown-output.ts'
import { defineTool, done, refuse, type ToolContext, type ToolOutcome } from './tool.ts'

export const runCommand = defineTool({
  kind: 'command',
  name: 'run_command',
  purpose:
    'Run a shell command in the repository, without network; read-only while you plan. Its processes end with it.',
  input: () =>
    z.strictObject({
      command: z.string().min(1),
      cwd: z.string().min(1).optional().describe('a folder'),
      timeout_sec: z
        .int()
        .min(1)
        .max(limits.commandTimeoutMostSec)
        .optional()
        .describe(`default ${limits.commandTimeoutSec}, at most ${limits.commandTimeoutMostSec}`),
      background: z
        .boolean()
        .optional()
        .describe('for servers and long work: answers at once with a name for check_command'),
    }),
  roles: editorRoles,
  async run({ command, cwd, timeout_sec = limits.commandTimeoutSec, background = false }, context) {
    if (background) return startCommand({ command, cwd }, context)
    const timeoutMs = timeout_sec * 1_000
    const reply = await context.session.request(
      { op: 'run', command, ...(cwd !== undefined && { cwd }), timeoutMs, maxBytes: limits.commandKeptBytes },
      context.signal,
    )
    if (!reply.ok) return refuse(cwd === undefined ? reply.message : `cwd ${cwd}: ${reply.message}`)
    const { exitCode, timedOut } = reply.value
    const output = await shownOutput(reply.value.output, context)
    const end = timedOut
      ? `timed out after ${timeout_sec} s and was killed; timeout_sec may be up to ${limits.commandTimeoutMostSec}`
      : `exit code ${exitCode ?? 'none: it was killed'}`
    return {
      ok: exitCode === 0 && !timedOut,
      output: `${output}${output.endsWith('\n') || output === '' ? '' : '\n'}(${end})`,
    }
  },
})

async function startCommand(
  { command, cwd }: { readonly command: string; readonly cwd: string | undefined },
  { session, signal, callName }: ToolContext,
): Promise<ToolOutcome> {
  const name = `command-${callName}`
  const { commandKeptBytes: maxBytes, backgroundCommands: most } = limits
  const reply = await session.request(
    { op: 'start', name, command, ...(cwd !== undefined && { cwd }), maxBytes, most },
    signal,
  )
  if (!reply.ok) return refuse(cwd === undefined ? reply.message : `cwd ${cwd}: ${reply.message}`)
  return done(`Started in the background as ${name}. check_command shows its output and stops it. ${endsWith}`)
}
