import { Agent, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'

/** A reply of the model in the form of the history, and its calls. */
export interface Turn {
  readonly message: object
  readonly calls: readonly ModelCall[]
}

export interface ModelCall {
  readonly id?: string
  readonly name?: string
  readonly input: { readonly path: string; readonly command: string }
}

export interface Loop {
  /** Origin of the model. */
  readonly origin: string
  answer(call: ModelCall): Promise<string>
  /**
   * Called with each reply before its calls run, and with their results before the next request.
   */
  readonly keep?: {
    reply(turn: Turn): void
    results(turn: Turn, message: object): void
  }
}

/**
 * The smallest possible agent loop: asks the model, runs the tools, extends the history, until the
 * model says that it is done.
 */
export async function runLoop({ origin, answer, keep }: Loop): Promise<void> {
  const messages: object[] = [{ role: 'user', content: 'say new' }]
  const tools = ['read_file', 'run_command'].map((name) => ({ name, input_schema: { type: 'object' } }))
  for (let text = ''; text !== 'done'; ) {
    const body = JSON.stringify({ model: 'claude-bench', max_tokens: 16_384, stream: true, tools, messages })
    const content = contentOf(await ask(`${origin}/v1/messages`, body))
    text = content.find((block) => block.type === 'text')?.text ?? ''
    const calls = content.flatMap((each) =>
      each.type === 'tool_use' ? [{ ...each, input: JSON.parse(each.json) as ModelCall['input'] }] : [],
    )
    const said = content.map(({ json, ...block }) => (json ? { ...block, input: JSON.parse(json) } : block))
    const turn: Turn = { message: { role: 'assistant', content: said }, calls }
    keep?.reply(turn)
    const outputs = await Promise.all(calls.map(answer))
    const results = outputs.map((output, i) => ({ type: 'tool_result', tool_use_id: calls[i]?.id, content: output }))
    const message = { role: 'user', content: results }
    keep?.results(turn, message)
    messages.push(turn.message, message)
  }
  agent.destroy()
}

const agent = new Agent({ keepAlive: true })

/** Avoids fetch, which takes as long to load as the rest of the loop. */
async function ask(url: string, body: string): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-api-key': 'sk-bench',
  }
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.ReadableStream>()
  request(url, { agent, method: 'POST', headers }, resolve).on('error', reject).end(body)
  return textOf(await promise)
}

interface Block {
  readonly type: string
  readonly id?: string
  readonly name?: string
  text?: string
  /** Input of a call as JSON. */
  json: string
}

function contentOf(stream: string): readonly Block[] {
  const content: Block[] = []
  for (const line of stream.split('\n')) {
    if (!line.startsWith('data: ')) continue
    const { type, index, content_block, delta } = JSON.parse(line.slice('data: '.length))
    if (type === 'content_block_start') content[index] = { ...content_block, json: '' }
    const block = content[index]
    if (type !== 'content_block_delta' || !block) continue
    if (delta.type === 'text_delta') block.text += delta.text
    else block.json += delta.partial_json
  }
  return content
}
