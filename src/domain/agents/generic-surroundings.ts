import type { AgentSurroundings, ModelPlace } from './known-agent.ts'

/** The variables that most agents read, for an agent that Drydock does not know. */
export function genericSurroundings(place: ModelPlace): AgentSurroundings {
  return { env: variables(place), files: {} }
}

function variables({ kind, origin, model, key }: ModelPlace): AgentSurroundings['env'] {
  if (kind === 'anthropic') return { ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: key, ANTHROPIC_MODEL: model }
  if (kind === 'google') return { GOOGLE_GEMINI_BASE_URL: origin, GEMINI_API_KEY: key, GEMINI_MODEL: model }
  const base = `${origin}/v1`
  return { OPENAI_BASE_URL: base, OPENAI_API_BASE: base, OPENAI_API_KEY: key, OPENAI_MODEL: model }
}
