import type { MalformedReply } from './malformed-reply.ts'

const shown = { ran: 'read_file', output: '1\tone\n2\ttwo' } as const
const json = '{"name": "read_file", "arguments": {"path": "a.txt"}}'
const looksLike = { told: 'Your text looks like a tool call' } as const
const onlyCalls = { told: 'Only tool calls have an effect' } as const

/** Replies without a usable call. */
export const malformedTexts: readonly MalformedReply[] = [
  { name: 'only words', turn: { text: 'I would rather talk.' }, comes: onlyCalls },
  { name: 'nothing at all', turn: {}, comes: onlyCalls },
  { name: 'white space', turn: { text: ' \n\t ' }, comes: onlyCalls },
  {
    name: 'reasoning without a call',
    turn: { reasoning: 'I should read the file.' },
    comes: onlyCalls,
  },
  {
    name: 'reasoning and words without a call',
    turn: { reasoning: 'Hm.', text: 'I read the file.' },
    comes: onlyCalls,
  },
  { name: 'the call as text in tags', turn: { text: `<tool_call>\n${json}\n</tool_call>` }, comes: shown },
  {
    name: 'the call as text after a thought',
    turn: { text: `<think>Hm.</think>\n<tool_call>${json}</tool_call>` },
    comes: shown,
  },
  {
    name: 'the call as text after reasoning',
    turn: { reasoning: 'Hm.', text: `<tool_call>${json}</tool_call>` },
    comes: shown,
  },
  { name: 'the call as JSON', turn: { text: json }, comes: shown },
  {
    name: 'the call as JSON with its function',
    turn: { text: `{"type": "function", "function": ${json}}` },
    comes: shown,
  },
  { name: 'the call as JSON in a fence', turn: { text: `\`\`\`json\n${json}\n\`\`\`` }, comes: shown },
  {
    name: 'the call in the tags of Qwen Coder',
    turn: {
      text: '<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>',
    },
    comes: shown,
  },
  {
    name: 'the call in the tags of Anthropic',
    turn: {
      text: '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a.txt</parameter>\n</invoke>\n</function_calls>',
    },
    comes: shown,
  },
  { name: 'the call in the form of Mistral', turn: { text: `[TOOL_CALLS][${json}]` }, comes: shown },
  {
    name: 'the call in the form of Harmony',
    turn: {
      text: '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a.txt"}<|call|>',
    },
    comes: shown,
  },
  {
    name: 'the call in the form of Kimi',
    turn: {
      text: '<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a.txt"}<|tool_call_end|>',
    },
    comes: shown,
  },
  {
    name: 'the call in tags of its own name',
    turn: { text: '<read_file>\n<path>a.txt</path>\n</read_file>' },
    comes: shown,
  },
  {
    name: 'two calls as text',
    turn: { text: `<tool_call>${json}</tool_call>\n<tool_call>${json}</tool_call>` },
    comes: shown,
  },
  { name: 'words before a call as text', turn: { text: `I look.\n<tool_call>${json}</tool_call>` }, comes: looksLike },
  {
    name: 'a call as text that was cut',
    turn: { text: '<tool_call>{"name": "read_file", "arguments": {"pa' },
    comes: looksLike,
  },
  {
    name: 'a call as text of a tool that there is not',
    turn: { text: '{"name": "open_doors", "arguments": {}}' },
    comes: onlyCalls,
  },
  { name: 'a call in the form of Python', turn: { text: 'read_file(path="a.txt")' }, comes: looksLike },
  { name: 'an object that is no call', turn: { text: '{"path": "a.txt"}' }, comes: onlyCalls },
  { name: 'a shell script in a fence', turn: { text: '```bash\ncat a.txt\n```' }, comes: onlyCalls },
  {
    name: 'a file that shows a call',
    turn: { text: `The file says:\n\`\`\`\n${json}\n\`\`\`\nIt is a prompt.` },
    comes: looksLike,
  },
]
