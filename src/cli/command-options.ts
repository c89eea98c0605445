import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../domain/duration.ts'

/** Options that belong to a command; the other common ones are taken as well, for scripts, but not shown in its help. */
export type Shown =
  | 'repository'
  | 'models'
  | 'architect'
  | 'start'
  | 'slots'
  | 'budget'
  | 'wait'
  | 'record'
  | 'dashboard'

export function withCommonOptions(command: Command, shown: readonly Shown[]): Command {
  const option = (needs: Shown | null, made: Option) =>
    command.addOption(made.hideHelp(needs !== null && !shown.includes(needs)))
  option('repository', new Option('--repo <dir>', 'the repository (default: here)'))
  option(null, new Option('--json', 'one JSON event a line on stdout'))
  option('models', new Option('--model <id>', 'model of every role, as provider:model'))
  option('architect', new Option('--architect-model <id>', 'model of the architect'))
  option('models', new Option('--editor-model <id>', 'model of the editor'))
  option('models', new Option('--scout-model <id>', 'model of the scouts'))
  option('start', new Option('--target <branch>', 'branch to start from (default: the one checked out)'))
  option('start', new Option('--config <file>', 'configuration to use instead of the committed one'))
  option('start', new Option('--sandbox <backend>', 'sandbox backend').choices(['bubblewrap', 'docker', 'podman']))
  option('slots', new Option('--max-coders <n>', 'tasks or stories that are worked on at once').argParser(positive))
  option('budget', new Option('--budget-usd <usd>', 'dollars that the run may cost').argParser(dollars))
  option('models', new Option('--max-wait <duration>', 'wait for a provider at most, as 10m or 24h').argParser(seconds))
  option('wait', new Option('--no-wait', 'end with exit code 6 when it waits for a human, or is paused by one'))
  option('record', new Option('--record <file>', 'write what the models said into a file, for `--model replay:<file>`'))
  option('dashboard', new Option('--no-ui', 'do not serve the dashboard meanwhile'))
  return command
}

export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be given more than once`).argParser(collect)
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

function positive(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1 || number > 999) throw new InvalidArgumentError('a number from 1 to 999')
  return number
}

function seconds(value: string): number {
  const parsed = parseDuration(value)
  if (parsed === null) throw new InvalidArgumentError('a duration, as 30s, 10m, 24h or 2d')
  return parsed
}

/** Not below zero; for a bound, or what is added to one. */
export function dollars(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number) || number < 0)
    throw new InvalidArgumentError('a number of dollars')
  return number
}

export function tokens(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('a whole number of tokens')
  return number
}

export function snapshotNumber(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('the number of a snapshot, from 1')
  return number
}

export function port(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 0 || number > 65_535) throw new InvalidArgumentError('a number up to 65535')
  return number
}
