import { Command } from 'commander'
import { usage } from '../../app/usage.ts'
import { insteadOfHub } from './instead-of-hub.ts'

/**
 * A command, or the program. Its usage errors say what to write instead, and which help to read.
 */
export class CommandLine extends Command {
  override createCommand(name?: string): CommandLine {
    return new CommandLine(name)
  }

  /** Converts an error of commander. Throws DrydockError `bad_usage`. */
  override error(message: string, options?: { readonly code?: string }): never {
    const [what = '', nearest] = message.replace(/^error: /, '').split('\n')
    const told = options?.code === 'commander.unknownOption' ? this.explainOption(what) : null
    const see = this.parent === null ? '(see drydock --help)' : `(see drydock ${this.name()} --help)`
    throw usage(told?.message ?? what, [told?.todo ?? nearest, see].filter(Boolean).join('\n'))
  }

  /** Explains an option that other commands have and this one lacks. */
  private explainOption(message: string): { readonly message: string; readonly todo: string } | null {
    const flag = /'([^']+)'/.exec(message)?.[1] ?? ''
    const commands = (this.parent ?? this).commands
    const owners = commands.filter(({ options }) =>
      options.some(({ long, short, hidden }) => !hidden && (long === flag || short === flag)),
    )
    if (owners.length === 0) return null
    const names = owners.map((owner) => owner.name())
    if (this.parent === null) {
      return {
        message: `${flag} stands before the command.`,
        todo: `Write it after the command: drydock ${names[0]} ${flag} …`,
      }
    }
    const owned = `${flag} is an option of: ${names.map((name) => `drydock ${name}`).join(', ')}`
    return {
      message: `drydock ${this.name()} has no option ${flag}.`,
      todo: flag === '--hub' ? `${insteadOfHub(this.name())}\n${owned}` : owned,
    }
  }
}
