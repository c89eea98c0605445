import { resolve } from 'node:path'
import type { Settings } from '../../api/settings.ts'
import { effectiveSettings } from '../../config/effective-settings.ts'
import { readModelVariables } from '../../config/environment.ts'
import { parseRepositoryConfig, readConfigFile } from '../../config/load.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { hostedProviders, isHosted } from '../../domain/providers.ts'
import { readOwnSettings } from '../commands/change-setting.ts'
import type { Installation } from '../installation.ts'
import type { WorkOptions } from '../work-options.ts'

/**
 * The settings of a Run that would start now, and the source of each value. Of a key, only tells
 * whether it is set.
 */
export async function readSettings(
  drydock: Pick<Installation, 'repository' | 'env' | 'state' | 'user' | 'userRepository' | 'readConfig'>,
  options: WorkOptions,
): Promise<Settings> {
  const { repository, state, user } = drydock
  const own = [...(await readOwnSettings(drydock))]
  const about = { repository, state, user_file: user.file, providers: providersOf(drydock), own }
  try {
    const { source, settings } = await settingsOf(drydock, options)
    return { ...about, source, problem: null, settings }
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    const { code, message, todo } = error
    return { ...about, source: null, problem: { code, message, todo }, settings: [] }
  }
}

async function settingsOf(
  drydock: Pick<Installation, 'repository' | 'user' | 'userRepository' | 'readConfig'>,
  options: WorkOptions,
): Promise<Pick<Settings, 'source' | 'settings'>> {
  const { userRepository, user } = drydock
  const sha = await userRepository.commitOf(options.target ?? user.target ?? null)
  const repositoryText = await userRepository.fileAt(sha, '.drydock/config.json', limits.configBytes)
  const textAt = (path: string) => userRepository.fileAt(sha, path, limits.gate.fileBytes)
  const configFile = options.config === undefined ? null : resolve(options.config)
  const resolved = await drydock.readConfig({ repositoryText, textAt, configFile, stepsRequired: true })
  const written = asObject(await readConfigFile(user.file))
  const { maxCoders, target, model, architectModel, editorModel, scoutModel } = options
  const settings = effectiveSettings({
    resolved,
    user,
    written,
    chosen: await chosenOf({ drydock, repositoryText, configFile, written }),
    flags: {
      ...(maxCoders !== undefined && { maxCoders }),
      ...(target !== undefined && { target }),
      models: { default: model, architect: architectModel, editor: editorModel, scout: scoutModel },
    },
  })
  return { source: resolved.source, settings: [...settings] }
}

interface ConfigSource {
  readonly drydock: Pick<Installation, 'repository' | 'user'>
  readonly repositoryText: string | null
  readonly configFile: string | null
  /** The content of the user's file. */
  readonly written: Readonly<Record<string, unknown>>
}

/**
 * The effective configuration, selected by the loader's rules: the named file, the committed file,
 * or the user's file for this repository.
 */
async function chosenOf({ drydock, repositoryText, configFile, written }: ConfigSource) {
  if (configFile !== null) return read((await readConfigFile(configFile)) ?? '{}', configFile, 'config')
  if (repositoryText !== null) return read(repositoryText, '.drydock/config.json', 'repository')
  const { repositories } = drydock.user
  const path = Object.keys(repositories).find((each) => resolve(each) === resolve(drydock.repository)) ?? ''
  const own = (written.repositories as Readonly<Record<string, unknown>> | undefined)?.[path] ?? {}
  return read(JSON.stringify(own), drydock.user.file, 'user')
}

function read<From extends 'config' | 'repository' | 'user'>(text: string, file: string, from: From) {
  return { config: parseRepositoryConfig(text, file), written: asObject(text), from }
}

/** Parses JSON that has already been parsed successfully once. */
function asObject(text: string | null): Readonly<Record<string, unknown>> {
  return text === null ? {} : JSON.parse(text.replace(/^\uFEFF/, ''))
}

function providersOf({ env, user: { providers } }: Pick<Installation, 'env' | 'user'>): Settings['providers'] {
  const set = readModelVariables(env, providers)
  const builtIn = Object.entries(hostedProviders).map(([name, { kind, keyEnv }]) => ({
    name,
    kind,
    base_url: null,
    key_env: keyEnv,
    key_set: keyEnv in set,
  }))
  const entries = Object.entries(providers).filter(([name]) => !isHosted(name))
  const own = entries.map(([name, { kind, baseURL, apiKeyEnv = null }]) => ({
    name,
    kind,
    base_url: withoutPassword(baseURL),
    key_env: apiKeyEnv,
    key_set: apiKeyEnv !== null && apiKeyEnv in set,
  }))
  return [...builtIn, ...own]
}

function withoutPassword(address: string | undefined): string | null {
  if (address === undefined) return null
  const url = new URL(address)
  url.username = ''
  url.password = ''
  url.search = ''
  return url.href
}
