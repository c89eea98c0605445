import type { Command } from 'commander'
import { hasCrew, type Run } from '../../domain/run/run.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { reading } from '../reading.ts'
import { usage } from '../usage.ts'
import { completionScript, type Shell, shells } from './completion-script.ts'

/** Prints the script for a shell, or the ids that such a script asks for. */
export function completionOf(program: Command) {
  return async (context: Context, [what = '']: readonly string[], options: CommonOptions): Promise<number> => {
    const isShell = (name: string): name is Shell => shells.some((shell) => shell === name)
    if (isShell(what)) context.terminal.stdout.write(completionScript(program, what))
    else if (what === 'ids') context.output.say((await recentIds(context, options)).join('\n'))
    else throw usage(`There is no completion for "${what}".`, `Name one: ${shells.join(', ')}`)
    return 0
  }
}

/** The latest runs, and the stories of the latest spec. */
async function recentIds(context: Context, options: CommonOptions): Promise<readonly string[]> {
  const drydock = await open(context, options)
  return reading(drydock, async (records) => {
    const runs = ((await records?.machines({ kind: 'run' })) ?? []) as readonly Run[]
    const crew = runs.findLast(hasCrew)
    const stories = crew === undefined ? [] : ((await records?.machines({ kind: 'story', run: crew.id })) ?? [])
    return [...runs.slice(-shown).map(({ id }) => id), ...stories.flatMap(({ story }) => story ?? [])]
  })
}

/** More would be a list to read, not to choose from. */
const shown = 20
