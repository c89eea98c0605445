import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { parse } from 'jsonc-parser'
import { asObject, type JsonObject, objectAt, parseObject } from './detect/json-object.ts'

/** The style in which the repository's formatter writes a JSON file. */
export interface JsonStyle {
  /** The indentation of one level. */
  readonly indent: string
  /** The number of columns of a tab. */
  readonly tabWidth: number
  /** The longest line for an array on a single line. */
  readonly width: number
  readonly lineEnd: '\n' | '\r\n'
}

interface Wish {
  readonly tabs?: boolean
  readonly size?: number
  readonly width?: number
  readonly crlf?: boolean
}

const plain = { size: 2, width: 80, crlf: false, tabs: false } as const
const widest = 1_000
const prettierFiles = [
  '.prettierrc',
  '.prettierrc.json',
  '.prettierrc.yaml',
  '.prettierrc.yml',
  '.prettierrc.toml',
  '.prettierrc.js',
  '.prettierrc.cjs',
  '.prettierrc.mjs',
  'prettier.config.js',
  'prettier.config.cjs',
  'prettier.config.mjs',
]

/**
 * The style of the repository's formatter, or else of its .editorconfig, or else the one found in
 * its package.json.
 */
export async function readJsonStyle(root: string, path: string): Promise<JsonStyle> {
  const read = (name: string) => readFile(join(root, name), 'utf8').catch(() => null)
  const first = async (names: readonly string[]) => (await Promise.all(names.map(read))).find((text) => text !== null)
  const manifest = (await read('package.json')) ?? ''
  const wishes = [
    ofManifest(manifest),
    ofEditorconfig((await read('.editorconfig')) ?? '', path),
    ofPrettier(JSON.stringify(parseObject(manifest)?.prettier ?? '')),
    ofPrettier((await first(prettierFiles)) ?? ''),
    ofBiome(asObject(parse((await first(['biome.json', 'biome.jsonc'])) ?? ''))),
  ]
  const { tabs, size, width, crlf } = { ...plain, ...Object.assign({}, ...wishes) } as Required<Wish>
  return { indent: tabs ? '\t' : ' '.repeat(size), tabWidth: size, width, lineEnd: crlf ? '\r\n' : '\n' }
}

function ofManifest(text: string): Wish {
  const [, indent] = /^\{\r?\n([ \t]+)"/.exec(text) ?? []
  if (indent === undefined) return {}
  return indent.startsWith('\t') ? { tabs: true } : { tabs: false, size: indent.length }
}

/** Options in any of the languages of Prettier's configuration. */
function ofPrettier(text: string): Wish {
  const value = (name: string) => new RegExp(`\\b${name}["']?\\s*[:=]\\s*["']?(\\w+)`).exec(text)?.[1]
  const tabs = value('useTabs')
  return {
    ...(tabs !== undefined && { tabs: tabs === 'true' }),
    ...sized(value('tabWidth')),
    ...wide(value('printWidth')),
    ...(value('endOfLine') === 'crlf' && { crlf: true }),
  }
}

/** Biome indents with tabs by default. */
function ofBiome(config: JsonObject | null): Wish {
  if (config === null) return {}
  const own = objectAt(objectAt(config, 'json'), 'formatter')
  const all = objectAt(config, 'formatter')
  const value = (name: string) => own[name] ?? all[name]
  if (value('enabled') === false) return {}
  if (all.useEditorconfig === true && value('indentStyle') === undefined) return {}
  return {
    tabs: value('indentStyle') !== 'space',
    ...sized(String(value('indentWidth') ?? 2)),
    ...wide(String(value('lineWidth') ?? 80)),
    ...(value('lineEnding') === 'crlf' && { crlf: true }),
  }
}

/** The sections that match the file; later ones override earlier ones. */
function ofEditorconfig(text: string, path: string): Wish {
  const found: Record<string, string> = {}
  let applies = false
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[(.+)\]\s*$/.exec(line)?.[1]
    if (section !== undefined) applies = isAbout(section, path)
    const [, key, value] = /^\s*([\w-]+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? []
    if (applies && key !== undefined && value !== undefined) found[key.toLowerCase()] = value.toLowerCase()
  }
  const { indent_style: style, indent_size: size, tab_width: tab, max_line_length: width, end_of_line: end } = found
  return {
    ...(style !== undefined && { tabs: style === 'tab' }),
    ...sized(size === undefined || size === 'tab' ? tab : size),
    ...wide(width === 'off' ? String(widest) : width),
    ...(end === 'crlf' && { crlf: true }),
  }
}

function isAbout(section: string, path: string): boolean {
  if (!section.includes('/')) return posix.matchesGlob(posix.basename(path), section)
  // In .editorconfig, `*` also matches a leading dot, unlike here.
  return posix.matchesGlob(path.replace(/^\./, ''), section.replace(/^\/?\.?/, ''))
}

function sized(text: string | undefined): Wish {
  const size = Number(text)
  return Number.isInteger(size) && size >= 1 && size <= 8 ? { size } : {}
}

function wide(text: string | undefined): Wish {
  const width = Number(text)
  return Number.isInteger(width) && width >= 40 ? { width: Math.min(width, widest) } : {}
}
