import type { Endpoint } from '../endpoint.ts'

/** A server for many models, which needs a flag or another model to support tools. */
export type ToolServer = 'llamacpp' | 'vllm' | 'lmstudio'

const resume = 'Then run: drydock resume'
const other = 'or continue with another model: drydock resume --model <id>'

const remedies: Readonly<Record<ToolServer, string>> = {
  llamacpp: `Start llama-server with --jinja and a model whose chat template has tools. ${resume}; ${other}`,
  vllm: `Start vLLM with --enable-auto-tool-choice --tool-call-parser <the parser of this model>. ${resume}; ${other}`,
  lmstudio: `Load a model in LM Studio that is marked for tool use, and continue with it: drydock resume --model <id>`,
}

/** Says how to get a model that calls tools. `server` is known from its model list. */
export function toolRemedy({ provider, kind, model }: Endpoint, server: ToolServer | null): string {
  if (kind === 'ollama')
    return `Pull a model with tools (\`ollama show ${model}\` lists its capabilities), and continue with it: drydock resume --model ollama:<name>`
  const named = server ?? (Object.hasOwn(remedies, provider) ? (provider as ToolServer) : null)
  if (named !== null) return remedies[named]
  const own = 'Continue with a model that can call tools: drydock resume --model <id>'
  if (kind !== 'openai-compatible') return own
  return `${own}. A server of your own may need a flag: llama.cpp --jinja, vLLM --enable-auto-tool-choice --tool-call-parser <parser>.`
}
