import { lstat, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'

import { dirname, join } from 'node:path'
import { DrydockError } from '../domain/drydock-error.ts'
import { writeWhole } from '../files/write-whole.ts'
import { readJsonStyle } from './json-style.ts'
import { jsonText } from './json-text.ts'
import { repositoryConfigPath } from './load.ts'
import { keyPath, parseConfig } from './parse-config.ts'
import { type RepositoryConfigInput, userSchema } from './schema.ts'

/**
 * Creates `.drydock/config.json` in a repository, in the style of the repository's formatter.
 * Throws DrydockError `bad_usage` if a configuration exists already.
 */
export async function writeRepositoryConfig(root: string, config: RepositoryConfigInput): Promise<void> {
  const file = join(root, repositoryConfigPath)
  const folder = dirname(file)
  await refuseLink(folder)
  await mkdir(folder, { recursive: true })
  await createFile(file, await inItsForm(root, config))
}

/** Replaces the content of the configuration that was just created. */
export async function replaceRepositoryConfig(root: string, config: RepositoryConfigInput): Promise<void> {
  await writeWhole(join(root, repositoryConfigPath), await inItsForm(root, config), { mode: 0o644, onDisk: true })
}

async function inItsForm(root: string, config: RepositoryConfigInput): Promise<string> {
  return jsonText(config, await readJsonStyle(root, repositoryConfigPath))
}

/**
 * Adds a repository's configuration to the user's file and keeps the rest of it. The write is
 * atomic. Throws DrydockError `bad_usage` if the repository has an entry already, and `bad_config`
 * if the file cannot be read.
 */
export async function writeUserRepository(input: {
  readonly userFile: string
  readonly repositoryPath: string
  readonly config: RepositoryConfigInput
  /** True if the repository's entry was just created and may be replaced. */
  readonly replaces?: true
}): Promise<void> {
  const { repositoryPath } = input
  await mkdir(dirname(input.userFile), { recursive: true, mode: 0o700 })
  const file = (await orMissing(realpath(input.userFile))) ?? input.userFile
  const text = (await orMissing(readFile(file, 'utf8'))) ?? '{}'
  if (!input.replaces && repositoryPath in parseConfig(userSchema, { text, file }).repositories) {
    throw alreadyThere(`${file}: ${keyPath(['repositories', repositoryPath])}`)
  }
  const old: { readonly repositories?: object } = JSON.parse(text.replace(/^\uFEFF/, ''))
  const next = { ...old, repositories: { ...old.repositories, [repositoryPath]: input.config } }
  const mode = (await orMissing(stat(file)))?.mode
  await writeWhole(file, asText(next), { mode: mode === undefined ? 0o600 : mode & 0o777, onDisk: true })
}

/** A repository could contain a `.drydock` link that leads out of it. */
async function refuseLink(folder: string): Promise<void> {
  if ((await orMissing(lstat(folder)))?.isSymbolicLink()) {
    throw new DrydockError('bad_usage', `${folder} is a symbolic link.`, {
      todo: 'Remove it and run `drydock init` again.',
    })
  }
}

async function createFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o644, flush: true })
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') throw alreadyThere(file)
    throw cause
  }
}

function alreadyThere(what: string): DrydockError {
  return new DrydockError('bad_usage', `${what} already exists`, { todo: 'Edit it, or remove it first.' })
}

function asText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

async function orMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

function errorCode(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined
}
