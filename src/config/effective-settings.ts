import { isObject, type Json } from '../domain/json.ts'
import { limits } from '../domain/limits.ts'
import type { LoadedUserConfig, ResolvedConfig, RunFlags } from './load.ts'
import { keyPath } from './parse-config.ts'
import type { RepositoryConfig } from './schema.ts'

/** One effective value, with its origin. */
export interface EffectiveSetting {
  /** The key in configuration files: `editor.review_rounds`. */
  readonly key: string
  readonly value: Json
  readonly from: 'default' | 'repository' | 'user' | 'config' | 'flag'
}

export interface SettingSources {
  /** The file that `resolved` is based on: parsed, as written, and its origin. */
  readonly chosen: { readonly config: RepositoryConfig; readonly written: unknown; readonly from: Source }
  readonly resolved: ResolvedConfig
  /** The user's file, parsed and as written. */
  readonly user: LoadedUserConfig
  readonly written: unknown
  readonly flags: RunFlags & { readonly models: Readonly<Record<string, string | undefined>> }
}

type Source = 'repository' | 'user' | 'config'

/**
 * Every effective value for a Run that starts now. Providers and the entries for other repositories
 * are left out.
 */
export function effectiveSettings(sources: SettingSources): readonly EffectiveSetting[] {
  const { chosen, user, written } = sources
  const { $schema: _, budget: _budget, orchestrator: _orchestrator, ...ofRepository } = chosen.config
  const { models, model_timeouts, sandbox, context, prices, instructions, commit, dashboard } = user
  return [
    ...bounds(sources),
    ...leaves(ofRepository).map(({ path, value }) => ({
      key: keyPath(path),
      value,
      from: has(chosen.written, path) ? chosen.from : ('default' as const),
    })),
    ...roles(sources, models),
    ...leaves({ model_timeouts, sandbox, context, prices, instructions, commit, dashboard }).map(({ path, value }) => ({
      key: keyPath(path),
      value,
      from: has(written, path) ? ('user' as const) : ('default' as const),
    })),
  ]
}

/** Limits that a repository can only lower; a lowered one has the repository as its origin. */
function bounds({ chosen, resolved, written, flags }: SettingSources): readonly EffectiveSetting[] {
  const { budget } = resolved
  const { storyTokens = limits.budget.storyTokens } = budget
  const named: readonly (readonly [string, number, number | undefined])[] = [
    ['orchestrator.max_coders', resolved.maxCoders, flags.maxCoders],
    ['budget.run_usd', budget.runUsd, undefined],
    ['budget.story_usd', budget.storyUsd, undefined],
    ['budget.run_tokens', budget.runTokens, undefined],
    ['budget.story_tokens', storyTokens, undefined],
  ]
  const of = (key: string, value: Json, flag: unknown): EffectiveSetting => {
    const path = key.split('.')
    if (flag !== undefined) return { key, value, from: 'flag' }
    if (at(chosen.written, path) === value) return { key, value, from: chosen.from }
    return { key, value, from: has(written, path) ? 'user' : 'default' }
  }
  return [...named.map(([key, value, flag]) => of(key, value, flag)), of('target', resolved.target, flags.target)]
}

/** The model of each role, wherever it is set. */
function roles({ flags }: SettingSources, models: LoadedUserConfig['models']): readonly EffectiveSetting[] {
  return (['architect', 'editor', 'scout'] as const).map((role) => {
    const flag = flags.models[role] ?? flags.models.default
    const named = models[role] ?? models.default
    const from = flag !== undefined ? 'flag' : named !== undefined ? 'user' : 'default'
    return { key: `models.${role}`, value: flag ?? named ?? null, from }
  })
}

interface Leaf {
  readonly path: readonly string[]
  readonly value: Json
}

/** The leaf values of a tree of objects; lists and empty objects are leaves. */
function leaves(tree: object, before: readonly string[] = []): readonly Leaf[] {
  return Object.entries(tree).flatMap(([key, value]): readonly Leaf[] => {
    const path = [...before, key]
    if (value === undefined) return []
    return isObject(value) && Object.keys(value).length > 0 ? leaves(value, path) : [{ path, value }]
  })
}

function at(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined), tree)
}

function has(tree: unknown, path: readonly string[]): boolean {
  return at(tree, path) !== undefined
}
