/** The reasoning effort of a model; `none` turns reasoning off. Few models know all levels. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export type Effort = (typeof efforts)[number]

/** A model as people name it: `openai:gpt-5.6`, or `openai:gpt-5.6#high` with an effort. */
export interface ModelName {
  readonly provider: string
  /** The provider's name of the model; the file of a recording. */
  readonly model: string
  /** Name without the effort: the key for records, prices and windows. */
  readonly id: string
  /** The effort as written, even if it is none of `efforts`; null if the name has none. */
  readonly effort: string | null
}

/** Null if the text is not the name of a model. */
export function parseModelName(name: string): ModelName | null {
  const [, provider, named] = /^([a-z0-9][a-z0-9._-]*):(\S.*)$/is.exec(name.trim()) ?? []
  if (!provider || !named) return null
  const [, model = named, effort = null] = (provider === 'replay' ? null : /^(.+)#([^#]*)$/s.exec(named)) ?? []
  return { provider, model, id: `${provider}:${model}`, effort }
}

/** The key of a model for records, prices and windows. */
export function modelId(name: string): string {
  return parseModelName(name)?.id ?? name
}

/** The foreign agent in a name such as `agent:gemini`; null for a model. */
export function agentNameOf(name: string): string | null {
  return /^agent:(\S.*)$/.exec(name)?.[1] ?? null
}

export function isEffort(effort: string): effort is Effort {
  return (efforts as readonly string[]).includes(effort)
}

/** Names on the command line: the first model, and its fallbacks. */
export function splitModelNames(list: string): readonly string[] {
  return list.split(/,(?=\s*[a-z0-9][a-z0-9._-]*:)/i).map((name) => name.trim())
}
