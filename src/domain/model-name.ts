/** How much a model thinks before it answers; `none`: not at all. Few models know all of them. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export type Effort = (typeof efforts)[number]

/** A model as people name it: `openai:gpt-5.6`, or `openai:gpt-5.6#high` with an effort. */
export interface ModelName {
  readonly provider: string
  /** As its provider calls it; the file of a recording. */
  readonly model: string
  /** Without the effort: what records, prices and windows know it by. */
  readonly id: string
  /** As it is written, which may be none that there is. */
  readonly effort: string | null
}

/** Null for what names no model. */
export function parseModelName(name: string): ModelName | null {
  const [, provider, named] = /^([a-z0-9][a-z0-9._-]*):(\S.*)$/is.exec(name.trim()) ?? []
  if (!provider || !named) return null
  const [, model = named, effort = null] = (provider === 'replay' ? null : /^(.+)#([^#]*)$/s.exec(named)) ?? []
  return { provider, model, id: `${provider}:${model}`, effort }
}

/** The id that records, prices and windows know a model by. */
export function modelId(name: string): string {
  return parseModelName(name)?.id ?? name
}

/**
 * The foreign agent that a name of the editor's model stands for, as in `agent:gemini`; null for a
 * model.
 */
export function agentNameOf(name: string): string | null {
  return /^agent:(\S.*)$/.exec(name)?.[1] ?? null
}

export function isEffort(effort: string): effort is Effort {
  return (efforts as readonly string[]).includes(effort)
}

/** Names on the command line: the first model, and those that stand in for it. */
export function splitModelNames(list: string): readonly string[] {
  return list.split(/,(?=\s*[a-z0-9][a-z0-9._-]*:)/i).map((name) => name.trim())
}
