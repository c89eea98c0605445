import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { editorRoles } from './roles.ts'
import { shownOutput } from './shown-output.ts'
import { defineTool, refuse } from './tool.ts'

/** The end of a background command, as its model is told. */
export const endsWith =
  'It ends with your work here, when you call get_diff or ask_architect, at a pause, and when Drydock restarts.'

export const checkCommand = defineTool({
  kind: 'command',
  name: 'check_command',
  purpose: 'Show what a background command printed since you last looked, or stop it.',
  input: () =>
    z.strictObject({
      name: z.string().min(1),
      wait_sec: z.int().min(0).max(limits.commandWaitSec).optional().describe('wait for its end, default 0'),
      stop: z.boolean().optional(),
    }),
  roles: editorRoles,
  async run({ name, wait_sec = 0, stop = false }, context) {
    const reply = await context.session.request({ op: 'look', name, waitMs: wait_sec * 1_000, stop }, context.signal)
    if (!reply.ok) {
      if (reply.code !== 'not_found') return refuse(reply.message)
      return refuse(
        `No command ${name} is running: it has ended, or there never was one. ${endsWith} Start it again if you need it.`,
      )
    }
    const { output, leftOut, isRunning, exitCode, ranMs } = reply.value
    const before = leftOut > 0 ? `[${leftOut} earlier bytes are not kept]\n` : ''
    const shown = before + (await shownOutput(output, context))
    const end = isRunning
      ? `still running after ${Math.round(ranMs / 1_000)} s; wait_sec up to ${limits.commandWaitSec} waits for its end`
      : stop
        ? 'stopped'
        : `ended with exit code ${exitCode ?? 'none'}`
    const ok = isRunning || stop || exitCode === 0
    return { ok, output: `${shown}${shown.endsWith('\n') || shown === '' ? '' : '\n'}(${end})` }
  },
})
