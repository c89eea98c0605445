import { InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../../domain/duration.ts'
import { watchLabel, watchLabelIs } from '../../domain/forge/watch-label.ts'
import { priorities } from '../../domain/share/priority.ts'
import type { CommonOptions } from '../context.ts'

export type CommonOption = keyof CommonOptions

/** All options that several commands share. Each command lists those it takes. */
const commonOptions: { readonly [Name in CommonOption]-?: () => readonly Option[] } = {
  repo: () => [new Option('--repo <dir>', 'the repository (default: the current folder)')],
  json: () => [new Option('--json', 'print one JSON event per line on stdout')],
  model: () => [new Option('--model <model>', 'model for every role, as provider:model')],
  architectModel: () => [new Option('--architect-model <model>', 'model for the architect')],
  editorModel: () => [new Option('--editor-model <model>', 'model for the editor')],
  scoutModel: () => [new Option('--scout-model <model>', 'model for the scouts')],
  target: () => [new Option('--target <branch>', 'branch to start from (default: the one checked out)')],
  config: () => [new Option('--config <file>', 'configuration to use instead of the committed one')],
  sandbox: () => [new Option('--sandbox <backend>', 'sandbox backend').choices(['bubblewrap', 'docker', 'podman'])],
  maxCoders: () => [new Option('--max-coders <n>', 'tasks or stories to work on at once').argParser(positive)],
  budgetUsd: () => [new Option('--budget-usd <usd>', 'the most dollars the run may cost').argParser(dollars)],
  allowFailing: () => [
    repeatable('--allow-failing <test>', 'let this test fail as long as it fails on the base commit as well'),
  ],
  priority: () => [
    new Option('--priority <priority>', 'its share of the slots beside other runs (default: normal)').choices(
      priorities,
    ),
  ],
  maxWait: () => [
    new Option('--max-wait <duration>', 'the longest wait for a provider, such as 10m or 24h').argParser(seconds),
  ],
  hub: () => [
    new Option('--hub <url>', 'the hub that does the work and keeps the runs'),
    new Option('--no-hub', 'work on this machine, whatever is configured'),
  ],
  wait: () => [
    new Option('--no-wait', 'end with exit code 6 if the run waits for a human or a human paused it'),
    new Option('--wait', 'wait for answers even without a terminal'),
  ],
  record: () => [
    new Option('--record <file>', 'write the answers of the models to a file, for `--model replay:<file>`'),
  ],
  ui: () => [
    new Option('--no-ui', 'do not serve the dashboard during the run'),
    new Option('--ui', 'serve the dashboard even without a terminal'),
  ],
}

export function commonOption(name: CommonOption): readonly Option[] {
  return commonOptions[name]()
}

/** Options that commands usually take together. */
export const groups = {
  /** Options of nearly every command. */
  anywhere: ['repo', 'json'],
  /** Options of commands that a hub can do. */
  byHub: ['repo', 'json', 'hub'],
  /** The models for the roles of a task or a spec. */
  crew: ['model', 'architectModel', 'editorModel', 'scoutModel'],
  /** The options that decide where a new run starts. */
  ground: ['target', 'config', 'sandbox'],
} as const satisfies Readonly<Record<string, readonly CommonOption[]>>

export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; repeatable`).argParser(collect)
}

/** A spelling of the version before: it still works, but no help or completion lists it. */
export function outdated(option: Option): Option {
  return option.hideHelp()
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

function positive(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1 || number > 999) throw new InvalidArgumentError('a number from 1 to 999')
  return number
}

/** Parses a number of slots; 0 for a machine that only coordinates. */
export function coders(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isInteger(number) || number < 0 || number > 999)
    throw new InvalidArgumentError('a number from 0 to 999')
  return number
}

function seconds(value: string): number {
  const parsed = parseDuration(value)
  if (parsed === null) throw new InvalidArgumentError('a duration such as 30s, 10m, 24h or 2d')
  return parsed
}

/** Parses an amount of at least 0, for a bound or an increase of one. */
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

export function label(value: string): string {
  if (!watchLabel.test(value)) throw new InvalidArgumentError(watchLabelIs)
  return value
}

export function pollSeconds(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 5 || number > 86_400)
    throw new InvalidArgumentError('a number of seconds from 5 to 86400')
  return number
}

export function port(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 0 || number > 65_535) throw new InvalidArgumentError('a number up to 65535')
  return number
}
