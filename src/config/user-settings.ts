import { mkdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DrydockError } from '../domain/drydock-error.ts'
import { isObject } from '../domain/json.ts'
import { writeWhole } from '../files/write-whole.ts'
import { parseConfig } from './parse-config.ts'
import { userSchema } from './schema.ts'

/** A value that can be changed through a page; null if the file does not set it. */
export type SettingValue = string | number | readonly string[] | null

/** A key of the user's file that a page may change. */
export interface ChangeableSetting {
  /** The key in the file, with dots. */
  readonly key: string
  readonly title: string
  readonly kind: 'text' | 'long' | 'number' | 'list'
}

/**
 * The settings that a page may change. Settings that start programs, send keys or text to other
 * addresses, or open a sandbox are missing on purpose: they can only be changed in the file itself.
 */
export const changeableSettings: readonly ChangeableSetting[] = [
  { key: 'models.default', title: 'Model', kind: 'text' },
  { key: 'models.architect', title: 'Model of the architect', kind: 'text' },
  { key: 'models.editor', title: 'Model of the editors', kind: 'text' },
  { key: 'models.scout', title: 'Model of the scouts', kind: 'text' },
  { key: 'budget.run_usd', title: 'Most dollars of a run', kind: 'number' },
  { key: 'budget.story_usd', title: 'Most dollars of a story', kind: 'number' },
  { key: 'budget.run_tokens', title: 'Most tokens of a run', kind: 'number' },
  { key: 'budget.story_tokens', title: 'Most tokens of a story without known prices', kind: 'number' },
  { key: 'orchestrator.max_coders', title: 'Most editors at once', kind: 'number' },
  { key: 'max_wait', title: 'Longest wait for a provider', kind: 'text' },
  { key: 'target', title: 'Branch to start from', kind: 'text' },
  { key: 'notify.on', title: 'Notify me of', kind: 'list' },
  { key: 'dashboard.editor_link', title: 'Link to your editor', kind: 'text' },
  { key: 'instructions.architect', title: 'Instructions for the architect', kind: 'long' },
  { key: 'instructions.editor', title: 'Instructions for the editors', kind: 'long' },
  { key: 'instructions.scout', title: 'Instructions for the scouts', kind: 'long' },
]

type WrittenSettings = { readonly [key: string]: unknown }

/**
 * The current values in the user's file; `undefined` for one in a form that the page does not
 * support.
 */
export async function readUserSettings(userFile: string): Promise<ReadonlyMap<string, SettingValue | undefined>> {
  const { written } = await readWritten(userFile)
  return new Map(changeableSettings.map(({ key }) => [key, plainValue(at(written, key))]))
}

interface Change {
  readonly key: string
  readonly value: SettingValue
  /** The value when the page read the file. */
  readonly seen: SettingValue
}

/**
 * Changes one key of the user's file and keeps the rest, including its indentation; null removes
 * the key. The write is atomic. Throws DrydockError `bad_usage` for a key that cannot be changed,
 * `already_done` if the file has changed in the meantime, and `bad_config` for a value that the
 * schema refuses.
 */
export async function writeUserSetting(userFile: string, { key, value, seen }: Change): Promise<void> {
  if (!changeableSettings.some((each) => each.key === key))
    throw new DrydockError('bad_usage', `"${key}" cannot be changed here.`, { todo: `Change it in ${userFile}.` })
  await mkdir(dirname(userFile), { recursive: true, mode: 0o700 })
  const { file, text, written, mode } = await readWritten(userFile)
  if (JSON.stringify(plainValue(at(written, key))) !== JSON.stringify(seen))
    throw new DrydockError('already_done', `${key} has been changed meanwhile, so your file stays as it is.`, {
      todo: 'Look at it again, and change it then.',
    })
  const next = inTheFormOf(text, withValue(written, key.split('.'), value))
  parseConfig(userSchema, { text: next, file })
  await writeWhole(file, next, { mode, onDisk: true })
}

async function readWritten(userFile: string) {
  const file = await realpath(userFile).catch(() => userFile)
  const text = await readFile(file, 'utf8').catch(missing)
  // Checked before the change, so that errors of the existing file are not blamed on it.
  parseConfig(userSchema, { text: text ?? '{}', file })
  const mode = text === null ? 0o600 : (await stat(file)).mode & 0o777
  return { file, text: text ?? '', written: JSON.parse((text ?? '{}').replace(/^\uFEFF/, '')) as WrittenSettings, mode }
}

function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

function at(value: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((of, part) => (isObject(of) && Object.hasOwn(of, part) ? of[part] : undefined), value)
}

/** Null if missing, undefined for an unsupported form such as a list of models. */
function plainValue(value: unknown): SettingValue | undefined {
  if (value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number') return value
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined
}

/** Sets or removes a value. An object that becomes empty is removed, too. */
function withValue(
  written: WrittenSettings,
  [key = '', ...rest]: readonly string[],
  value: SettingValue,
): WrittenSettings {
  const { [key]: old, ...others } = written
  const inner = isObject(old) ? old : {}
  const next = rest.length === 0 ? value : withValue(inner, rest, value)
  const isGone = next === null || (isObject(next) && Object.keys(next).length === 0)
  if (isGone) return others
  // An existing key keeps its position.
  return { ...written, [key]: next }
}

/** Keeps the indentation and line ends of the old text. */
function inTheFormOf(text: string, value: WrittenSettings): string {
  const indent = /^\uFEFF?\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? 2
  const lines = `${JSON.stringify(value, null, indent)}\n`
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  return mark + (text.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines)
}
