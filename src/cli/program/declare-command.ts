import { type Command, Option } from 'commander'
import type { CommonOptions, Context } from '../context.ts'
import { type CommonOption, commonOption } from './command-options.ts'

export type Action<Options> = (
  context: Context,
  args: readonly string[],
  options: CommonOptions & Options,
) => Promise<number>

/** A command of the program: its help, its arguments and options, and its action. */
export interface CommandDeclaration<Options> {
  /** The description in the list of commands. */
  readonly about: string
  /** Additional help in whole sentences. */
  readonly more: string
  /** Example lines without `drydock`, each with its effect. */
  readonly examples: readonly (readonly [line: string, does: string])[]
  /** The common options that the command uses. Any other is refused. */
  readonly common: readonly CommonOption[]
  /** Options of this command only: an Option, or its flags and description. */
  readonly own?: readonly (Option | readonly [flags: string, about: string])[]
  /**
   * The choices of an argument, by the argument's name, for help and completion. The action itself
   * refuses other values.
   */
  readonly choices?: Readonly<Record<string, string[]>>
  readonly action: Action<Options>
}

/** Adds a command, named as `name <argument> [argument...]`. */
export type Declare = <Options extends object>(name: string, declared: CommandDeclaration<Options>) => void

/** Adds the commands for which `isWanted` is true. Names are passed without arguments. */
export function declareOn(
  program: Command,
  isWanted: (name: string) => boolean,
  act: <Options>(action: Action<Options>, self: Command) => Promise<void>,
) {
  const declare: Declare = (name, { about, more, examples, common, own = [], choices = {}, action }) => {
    if (!isWanted(name.replace(/ .*/, ''))) return
    const command = program
      .command(name)
      .summary(about)
      .description(`${sentence(about)}\n\n${more}`)
    const options = own.map((each) => (each instanceof Option ? each : new Option(...each)))
    for (const option of [...options, ...common.flatMap(commonOption)]) command.addOption(option)
    for (const argument of command.registeredArguments) {
      const values = choices[argument.name()]
      if (values !== undefined) argument.argChoices = values
    }
    command.addHelpText('after', `\nExamples:\n${columns(examples)}`)
    command.action((...given: unknown[]) => act(action, given.at(-1) as Command))
  }
  return declare
}

function sentence(about: string): string {
  return `${about.charAt(0).toUpperCase()}${about.slice(1)}.`
}

export function columns(examples: CommandDeclaration<never>['examples']): string {
  const width = Math.max(...examples.map(([line]) => line.length))
  return examples.map(([line, does]) => `  drydock ${line.padEnd(width)}   ${does}`).join('\n')
}

/** Loads a command's code when it is called, since `--version` and `--help` do not need it. */
export function late<Module, Options>(
  load: () => Promise<Module>,
  pick: (module: Module) => Action<Options>,
): Action<Options> {
  return async (...given) => pick(await load())(...given)
}
