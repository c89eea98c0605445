import { change, plan, write } from '../world/fixture.ts'
import {
  diff,
  edit,
  list,
  modules,
  put,
  read,
  run,
  says,
  search,
  type Transcript,
  times,
  together,
} from './transcript.ts'

const because = { hypothesis: 'value.txt is what the test reads, as the step says' }
const planned = plan(because)
const handsIn = change('Say new', because)

/** A task of one editor: its turns in PLANNING and in CODING. */
const task = (planning: readonly object[], coding: readonly object[]): Transcript['lanes'] => ({
  'editor/task/PLANNING': planning,
  'editor/task/CODING': coding,
})

export const taskTranscripts: readonly Transcript[] = [
  { name: 'the shortest way', lanes: task([planned], [write('new\n'), handsIn]), requests: 3, errors: 0 },
  {
    name: 'one new file a turn, 35 times, before it plans',
    options: { files: modules(40) },
    lanes: task([...times(35, (i) => read(`src/module-${i}.txt`)), planned], [write('new\n'), handsIn]),
    requests: 38,
    errors: 0,
  },
  {
    name: 'eight files a reply, while it plans and again while it codes',
    options: { files: modules(40) },
    lanes: task(
      [...times(5, (i) => together(...times(8, (n) => read(`src/module-${8 * i + n}.txt`)))), planned],
      [...times(5, (i) => together(...times(8, (n) => read(`src/module-${8 * i + n}.txt`)))), write('new\n'), handsIn],
    ),
    requests: 13,
    errors: 0,
  },
  {
    name: 'twenty searches, some of them without a match',
    options: { files: modules(20) },
    lanes: task(
      [...times(20, (i) => search(i % 3 === 0 ? `nothing ${i}` : `module ${i} `)), planned],
      [search('old'), read('value.txt'), edit('value.txt', 'old', 'new'), handsIn],
    ),
    requests: 25,
    errors: 0,
  },
  {
    name: 'searches that find nothing, ten in a row, and then one that does',
    lanes: task([...times(10, (i) => search(`absent${i}`)), search('old'), planned], [write('new\n'), handsIn]),
    requests: 14,
    errors: 0,
  },
  {
    name: 'an edit that misses twice',
    lanes: task(
      [read('value.txt'), planned],
      [
        edit('value.txt', 'the old value', 'new'),
        read('value.txt'),
        edit('value.txt', 'old value', 'new'),
        edit('value.txt', 'old', 'new'),
        handsIn,
      ],
    ),
    requests: 7,
    errors: 2,
  },
  {
    name: 'the same edit that misses twice in a row',
    lanes: task(
      [planned],
      [edit('value.txt', 'odl', 'new'), edit('value.txt', 'odl', 'new'), edit('value.txt', 'old', 'new'), handsIn],
    ),
    requests: 5,
    errors: 2,
  },
  {
    name: 'a name that is changed in 22 files, one a turn',
    options: { files: modules(22) },
    lanes: task(
      [search('oldName'), planned],
      [
        ...times(22, (i) => edit(`src/module-${i}.txt`, 'oldName', 'newName')),
        search('oldName'),
        write('new\n'),
        diff(),
        handsIn,
      ],
    ),
    requests: 28,
    errors: 0,
  },
  {
    name: 'a name that is changed in 24 files, eight a reply, after all were read',
    options: { files: modules(24) },
    lanes: task(
      [search('oldName'), planned],
      [
        ...times(3, (i) => together(...times(8, (n) => read(`src/module-${8 * i + n}.txt`)))),
        ...times(3, (i) => together(...times(8, (n) => edit(`src/module-${8 * i + n}.txt`, 'oldName', 'newName')))),
        write('new\n'),
        diff(),
        handsIn,
      ],
    ),
    requests: 11,
    errors: 0,
  },
  {
    name: 'three slices, each green',
    lanes: task(
      [plan({ ...because, slices: ['the value', 'the first note', 'the second note'] })],
      [
        write('new\n'),
        change('Say new', { ...because, next_slice: 'the first note' }),
        put('one.txt', '1\n'),
        change('Say new, with a note', { ...because, next_slice: 'the second note' }),
        put('two.txt', '2\n'),
        change('Say new, with two notes', because),
      ],
    ),
    requests: 7,
    errors: 0,
  },
  {
    name: 'a test run that takes too long, and then a smaller one',
    options: { programs: { 'npm test': () => ({ exitCode: null, timedOut: true, output: 'still at it\n' }) } },
    lanes: task(
      [run('cat value.txt'), planned],
      [write('new\n'), run('npm test', { timeout_sec: 5 }), run('grep -q new value.txt'), handsIn],
    ),
    requests: 6,
    errors: 1,
  },
  {
    name: 'the same test run that takes too long three times, with an edit between',
    options: { programs: { 'npm test': () => ({ exitCode: null, timedOut: true, output: 'still at it\n' }) } },
    lanes: task(
      [planned],
      [...times(3, (i) => [write(`try ${i}\n`), run('npm test', { timeout_sec: 5 })]).flat(), write('new\n'), handsIn],
    ),
    requests: 9,
    errors: 3,
  },
  {
    name: 'a red verdict and its fix',
    lanes: task([planned], [write('half\n'), change('Half', because), read('value.txt'), write('new\n'), handsIn]),
    requests: 6,
    errors: 1,
  },
  {
    name: 'two red verdicts, each with its hypothesis',
    lanes: task(
      [planned],
      [
        write('half\n'),
        change('Half', because),
        write('more\n'),
        change('More', { hypothesis: 'half is too little: the log says so' }),
        write('new\n'),
        change('Say new', { hypothesis: 'the test wants this very word' }),
      ],
    ),
    requests: 7,
    errors: 2,
  },
  {
    name: 'three red verdicts, another plan, and a green one',
    lanes: {
      ...task(
        [planned],
        times(3, (i) => [write(`try ${i}\n`), change(`Try ${i}`, { hypothesis: `cause ${i}` })]).flat(),
      ),
      'editor/task/PLANNING/2': [
        read('value.txt'),
        plan({ hypothesis: 'the word itself is wanted', slices: ['write the word'] }),
      ],
      'editor/task/CODING/2': [write('new\n'), handsIn],
    },
    requests: 11,
    errors: 2,
  },
  {
    name: 'a test first, seen red and then green',
    lanes: task(
      [read('value.txt'), run('grep -q new value.txt'), planned],
      [
        together(read('value.txt'), list('*')),
        put('check.txt', 'new\n'),
        run('grep -q new value.txt'),
        edit('value.txt', 'old', 'new'),
        run('grep -q new value.txt'),
        diff(),
        handsIn,
      ],
    ),
    requests: 10,
    errors: 2,
  },
  {
    name: 'sixty turns of an edit and the same red test by turns',
    lanes: task(
      [planned],
      [
        ...times(60, (i) => (i % 2 === 0 ? write(`try ${i}\n`) : run('grep -q new value.txt'))),
        write('new\n'),
        handsIn,
      ],
    ),
    requests: 63,
    errors: 30,
  },
  {
    name: 'files that are moved and deleted',
    options: { files: modules(4) },
    lanes: task(
      [list('src/*'), planned],
      [
        { calls: [{ tool: 'move_file', input: { from: 'src/module-0.txt', to: 'lib/module-0.txt' } }] },
        { calls: [{ tool: 'delete_file', input: { path: 'src/module-1.txt' } }] },
        list('**/*'),
        write('new\n'),
        handsIn,
      ],
    ),
    requests: 7,
    errors: 0,
  },
  {
    name: 'a patch that does not fit at first',
    lanes: task(
      [planned],
      [
        { calls: [{ tool: 'apply_patch', input: { patch: patchOf('-older', '+new') } }] },
        read('value.txt'),
        { calls: [{ tool: 'apply_patch', input: { patch: patchOf('-old', '+new') } }] },
        handsIn,
      ],
    ),
    requests: 5,
    errors: 1,
  },
  {
    name: 'one reply without a call, in each lane',
    lanes: task(
      [says('I will look at the value first.'), read('value.txt'), planned],
      [says('Now I write it.'), write('new\n'), says('That should do.'), handsIn],
    ),
    requests: 7,
    errors: 0,
  },
  {
    name: 'a tool of another product, and then its own',
    lanes: task(
      [{ calls: [{ tool: 'view', input: { path: 'value.txt' } }] }, read('value.txt'), planned],
      [write('new\n'), handsIn],
    ),
    requests: 5,
    errors: 1,
  },
  {
    name: 'a plan that lacks a field, and then has it',
    lanes: task(
      [{ calls: [{ tool: 'submit_plan', input: { behaviour_change: 'it says new', ...because } }] }, planned],
      [write('new\n'), handsIn],
    ),
    requests: 4,
    errors: 1,
  },
  {
    name: 'nothing to change, with the evidence',
    options: { files: { 'value.txt': 'new\n' } },
    lanes: task(
      [read('value.txt'), planned],
      [
        read('value.txt'),
        { calls: [{ tool: 'no_change', input: { reason: 'It says new.', evidence: 'value.txt:1' } }] },
      ],
    ),
    status: 'NO_CHANGE',
    requests: 4,
    errors: 0,
  },
  {
    name: 'a list of its steps that it keeps up to date',
    lanes: task(
      [planned],
      [
        todos('pending', 'pending'),
        write('new\n'),
        todos('completed', 'pending'),
        put('note.txt', 'a note\n'),
        todos('completed', 'completed'),
        handsIn,
      ],
    ),
    requests: 7,
    errors: 0,
  },
  {
    name: 'a message to the people who follow it, and a look at theirs',
    lanes: task(
      [{ calls: [{ tool: 'read_messages', input: {} }] }, planned],
      [
        { calls: [{ tool: 'post_message', input: { content: 'I begin with the value.' } }] },
        write('new\n'),
        { calls: [{ tool: 'post_message', input: { content: 'The value is written.' } }] },
        handsIn,
      ],
    ),
    requests: 6,
    errors: 0,
  },
  {
    name: 'the diff and the file again and again between its edits',
    lanes: task(
      [planned],
      [...times(8, (i) => [write(`step ${i}\n`), diff(), read('value.txt')]).flat(), write('new\n'), diff(), handsIn],
    ),
    requests: 28,
    errors: 0,
  },
  {
    name: 'a dry run',
    args: ['task', 'Say new', '--dry-run'],
    lanes: task([read('value.txt'), planned], [write('new\n'), handsIn]),
    requests: 4,
    errors: 0,
  },
]

function patchOf(...lines: readonly string[]): string {
  return ['*** Begin Patch', '*** Update File: value.txt', '@@', ...lines, '*** End Patch'].join('\n')
}

function todos(...states: readonly string[]): object {
  const list = states.map((status, i) => ({ text: `step ${i}`, status }))
  return { calls: [{ tool: 'update_todos', input: { todos: list } }] }
}
