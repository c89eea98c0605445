import type { Argument, Command, Option } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

/** The kind of value that is completed at a position. */
type Value = 'file' | 'folder' | 'id' | 'any' | readonly string[]

interface CompletionEntry {
  readonly name: string
  readonly about: string
  readonly options: readonly { readonly flag: string; readonly about: string; readonly value: Value | null }[]
  /** The kind of the first argument; null if the command takes none. */
  readonly argument: Value | null
}

/** A completion script for exactly the commands that the program has. */
export function completionScript(program: Command, shell: Shell): string {
  const commands = program.commands.map(completed)
  if (shell === 'fish') return fish(commands)
  const script = bash(commands)
  return shell === 'bash' ? script : `autoload -U +X compinit bashcompinit && compinit -u && bashcompinit\n${script}`
}

function completed(command: Command): CompletionEntry {
  const [first] = command.registeredArguments
  const options = command.options.filter(({ hidden }) => !hidden)
  return {
    name: command.name(),
    about: command.summary(),
    options: [...options.map(optionOf), { flag: '--help', about: 'display help for command', value: null }],
    argument: first === undefined ? null : valueNamed(first.name(), first),
  }
}

function optionOf(option: Option): CompletionEntry['options'][number] {
  const name = /<(.+)>/.exec(option.flags)?.[1]
  const value = name === undefined ? null : valueNamed(name, option)
  return { flag: option.long ?? option.flags, about: option.description, value }
}

/** The kind of a value, from its name in the help. */
function valueNamed(name: string, { argChoices }: Pick<Argument | Option, 'argChoices'>): Value {
  if (argChoices !== undefined) return argChoices
  const byName: Readonly<Record<string, Value>> = {
    file: 'file',
    path: 'file',
    spec: 'file',
    dir: 'folder',
    id: 'id',
    story: 'id',
  }
  return byName[name] ?? 'any'
}

/** Shell code for the completions of a value. No value contains a quote or a blank. */
function generate(value: Value): string {
  if (value === 'any') return ':'
  const words = value === 'id' ? '"$("$program" completion ids 2>/dev/null)"' : `'${[value].flat().join(' ')}'`
  const how = value === 'file' ? '-f' : value === 'folder' ? '-d' : `-W ${words}`
  return `COMPREPLY=($(compgen ${how} -- "$word"))`
}

function bash(commands: readonly CompletionEntry[]): string {
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap(({ flag, value }) =>
      value === null ? [] : [`    '${name} ${flag}') ${generate(value)}; return ;;`],
    ),
  )
  const words = commands.map(
    ({ name, options, argument }) =>
      `    '${name}') options='${options.map(({ flag }) => flag).join(' ')}'
      case $word in -*) ;; *) ${argument === null ? ':' : generate(argument)}; return ;; esac ;;`,
  )
  return `_drydock() {
  local program="\${COMP_WORDS[0]}" word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" options=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} --help --version' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} $before" in
${values.join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$options" -- "$word"))
}
complete -F _drydock drydock
`
}

function fish(commands: readonly CompletionEntry[]): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const given = (value: Value) =>
    value === 'file' || value === 'folder'
      ? '-F'
      : value === 'any'
        ? ''
        : `-f -a ${quoted(value === 'id' ? '(drydock completion ids 2>/dev/null)' : value.join(' '))}`
  const lines = commands.flatMap(({ name, about, options, argument }) => {
    const inside = `complete -c drydock -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`
    return [
      `complete -c drydock -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
      ...(argument === null || argument === 'any' ? [] : [`${inside} ${given(argument)}`]),
      ...options.map(
        ({ flag, about: does, value }) =>
          `${inside} -l ${flag.slice(2)}${value === null ? '' : ` -r ${given(value)}`} -d ${quoted(does)}`,
      ),
    ]
  })
  return ['complete -c drydock -f', ...lines, ''].join('\n')
}
