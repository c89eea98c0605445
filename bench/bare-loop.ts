/**
 * The least that an agent loop can be, to compare with: asks the same model, runs the tool, adds to
 * the history. Nothing is stored, checked, limited or sandboxed. Arguments: the model's origin, the
 * folder.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const [origin = '', folder = ''] = process.argv.slice(2)
const messages: object[] = [{ role: 'user', content: 'say new' }]
const tools = ['read_file', 'run_command'].map((name) => ({ name, input_schema: { type: 'object' } }))

for (let text = ''; text !== 'done'; ) {
  const response = await fetch(`${origin}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'sk-bench' },
    body: JSON.stringify({ model: 'claude-bench', max_tokens: 16_384, stream: true, tools, messages }),
  })
  const content: { type: string; id?: string; name?: string; text?: string; json: string }[] = []
  for (const line of (await response.text()).split('\n')) {
    if (!line.startsWith('data: ')) continue
    const { type, index, content_block, delta } = JSON.parse(line.slice('data: '.length))
    if (type === 'content_block_start') content[index] = { ...content_block, json: '' }
    const block = content[index]
    if (type !== 'content_block_delta' || !block) continue
    if (delta.type === 'text_delta') block.text += delta.text
    else block.json += delta.partial_json
  }
  text = content.find((block) => block.type === 'text')?.text ?? ''
  const calls = content.filter(({ type }) => type === 'tool_use')
  const answers = calls.map(({ name = '', json }) => answer(name, JSON.parse(json)))
  messages.push({
    role: 'assistant',
    content: content.map(({ json, ...block }) => (json ? { ...block, input: JSON.parse(json) } : block)),
  })
  const results = (await Promise.all(answers)).map((output, i) => ({
    type: 'tool_result',
    tool_use_id: calls[i]?.id,
    content: output,
  }))
  messages.push({ role: 'user', content: results })
}

async function answer(tool: string, input: { path: string; command: string }): Promise<string> {
  if (tool === 'read_file') return readFile(join(folder, input.path), 'utf8')
  return (await promisify(execFile)('sh', ['-c', input.command], { cwd: folder })).stdout
}
