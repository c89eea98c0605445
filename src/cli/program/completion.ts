import type { Command } from 'commander'
import { usage } from '../../app/usage.ts'
import { readRecentIds } from '../../app/views/recent-ids.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { completionScript, type Shell, shells } from './completion-script.ts'

/** Prints the completion script for a shell, or the ids that such a script asks for. */
export function completionOf(program: Command) {
  return async (context: Context, [what = '']: readonly string[], options: CommonOptions): Promise<number> => {
    const isShell = (name: string): name is Shell => shells.some((shell) => shell === name)
    if (isShell(what)) context.terminal.stdout.write(completionScript(program, what))
    else if (what === 'ids') context.output.say((await readRecentIds(await open(context, options))).join('\n'))
    else throw usage(`There is no completion for "${what}".`, `Name one: ${shells.join(', ')}`)
    return 0
  }
}
