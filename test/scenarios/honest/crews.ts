import {
  alwaysGreen,
  approve,
  greenStory,
  needsChanges,
  reply,
  specLanes,
  stories,
  submit,
  writeFile,
} from '../world/crew.ts'
import { call, change, greenLanes, plan, write } from '../world/fixture.ts'
import { buildReport, codebaseReport } from '../world/reports.ts'
import { ask, list, modules, read, run, search, type Transcript, times, together } from './transcript.ts'

const because = { hypothesis: 'the story names the file, and nothing reads it yet' }
const crew = { steps: [alwaysGreen], files: modules(8) }
const spec = ['run', 'Make the files'] as const
const report = (fields: object) => call('submit_report', fields)
const reads = (count: number) => times(count, (i) => read(`src/module-${i}.txt`))
const storyPlan = plan({ ...because, files: ['one.txt'] })

/** Scouts with questions, and crews that review each other's work. */
export const crewTranscripts: readonly Transcript[] = [
  {
    name: 'a scout that is asked where the value is',
    lanes: {
      ...greenLanes,
      'editor/task/PLANNING': [ask('codebase', 'where is the value?'), plan(because)],
      'scout/codebase/task/1.1': [
        search('old'),
        read('value.txt'),
        report({ answer: 'In value.txt.', ...codebaseReport }),
      ],
    },
    requests: 7,
    errors: 0,
  },
  {
    name: 'both scouts, asked in one reply',
    lanes: {
      ...greenLanes,
      'editor/task/PLANNING': [
        together(ask('codebase', 'where is the value?'), ask('build', 'how is it tested?')),
        plan(because),
      ],
      'scout/codebase/task/1.1': [read('value.txt'), report({ answer: 'In value.txt.' })],
      'scout/build/task/1.1': [read('.drydock/config.json'), report({ answer: 'With grep.', ...buildReport })],
    },
    requests: 8,
    errors: 0,
  },
  {
    name: 'a scout that reads for ten turns',
    options: { files: modules(12) },
    lanes: {
      ...greenLanes,
      'editor/task/PLANNING': [ask('codebase', 'what do the modules do?'), plan(because)],
      'scout/codebase/task/1.1': [...reads(10), report({ answer: 'They use oldName.' })],
    },
    requests: 15,
    errors: 0,
  },
  {
    name: 'a scout that corrects its report once',
    lanes: {
      ...greenLanes,
      'editor/task/PLANNING': [ask('codebase', 'where is it?'), plan(because)],
      'scout/codebase/task/1.1': [read('value.txt'), report({ hypotheses: [7] }), report({ answer: 'In value.txt.' })],
    },
    requests: 7,
    errors: 1,
  },
  {
    name: 'a build scout that is asked about a red verdict',
    lanes: {
      'editor/task/PLANNING': [plan(because)],
      'editor/task/CODING': [
        write('half\n'),
        change('Half', because),
        ask('build', 'why does it fail?'),
        write('new\n'),
        change('Say new', because),
      ],
      'scout/build/task/1.1': [read('value.txt'), report({ answer: 'It wants new.', ...buildReport })],
    },
    requests: 8,
    errors: 1,
  },
  {
    name: 'six questions to a scout',
    options: { files: modules(8) },
    lanes: {
      ...greenLanes,
      'editor/task/PLANNING': [...times(6, (i) => ask('codebase', `what is in module ${i}?`)), plan(because)],
      ...Object.fromEntries(
        Array.from({ length: 6 }, (_, i) => [
          `scout/codebase/task/${i + 1}.1`,
          [read(`src/module-${i}.txt`), report({ answer: `Module ${i}.` })],
        ]),
      ),
    },
    requests: 21,
    errors: 0,
  },
  {
    name: 'a question to a scout alone',
    args: ['scout', 'codebase', 'where is the value?'],
    lanes: { 'scout/codebase/task/1.1': [list('*'), read('value.txt'), report({ answer: 'In value.txt.' })] },
    requests: 3,
    errors: 0,
  },
  {
    name: 'two stories side by side',
    args: spec,
    options: crew,
    lanes: { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') },
    requests: 12,
    errors: 0,
  },
  {
    name: 'a story that needs another',
    args: spec,
    options: crew,
    lanes: { ...specLanes('one', { id: 'two', depends_on: ['one'] }), ...greenStory('one'), ...greenStory('two') },
    requests: 12,
    errors: 0,
  },
  {
    name: 'a change that is sent back once',
    args: spec,
    options: crew,
    lanes: {
      ...specLanes('one'),
      ...greenStory('one'),
      'editor/one/CODING': [writeFile('one.txt', '1\n'), submit('one'), writeFile('one.txt', 'one\n'), submit('one')],
      'architect/REQUEST/code/one/1': [read('README.md'), needsChanges('Say one.')],
      'architect/REQUEST/code/one/2': [approve()],
    },
    requests: 11,
    errors: 2,
  },
  {
    name: 'a plan that is sent back once',
    args: spec,
    options: crew,
    lanes: {
      ...specLanes('one'),
      ...greenStory('one'),
      'editor/one/PLANNING': [plan({ ...because, slices: ['guess'] }), read('src/module-1.txt'), storyPlan],
      'architect/REQUEST/plan/one/1': [needsChanges('Read the module first.')],
      'architect/REQUEST/plan/one/2': [approve()],
    },
    requests: 10,
    errors: 1,
  },
  {
    name: 'questions to the architect, while it plans and while it codes',
    args: spec,
    options: crew,
    lanes: {
      ...specLanes('one'),
      ...greenStory('one'),
      'editor/one/PLANNING': [call('ask_architect', { question: 'Lower case?' }), storyPlan],
      'editor/one/CODING': [
        call('ask_architect', { question: 'A final newline?' }),
        writeFile('one.txt', 'one\n'),
        submit('one'),
      ],
      'architect/REQUEST/question/one/1': [reply('Yes.')],
      'architect/REQUEST/question/one/2': [read('src/module-0.txt'), reply('As in module 0.')],
    },
    requests: 12,
    errors: 0,
  },
  {
    name: 'an architect that reads on, in every state',
    args: spec,
    options: crew,
    lanes: {
      ...specLanes('one'),
      ...greenStory('one'),
      'architect/SCOPING': [...reads(7), reply('Modules, and a value.')],
      'architect/STORY_GENERATION': [...reads(3), stories('one')],
      'architect/REQUEST/code/one/1': [
        call('get_diff', { coder_id: 'coder-001' }),
        call('read_file', { coder_id: 'coder-001', path: 'one.txt' }),
        ...reads(4),
        approve(),
      ],
    },
    requests: 23,
    errors: 0,
  },
  {
    name: 'a story of three slices',
    args: spec,
    options: crew,
    lanes: {
      ...specLanes('one'),
      ...greenStory('one'),
      'editor/one/PLANNING': [plan({ ...because, slices: ['a', 'b', 'c'] })],
      'editor/one/CODING': [
        writeFile('a.txt', 'a\n'),
        change('Add a', { ...because, next_slice: 'b' }),
        writeFile('b.txt', 'b\n'),
        run('cat a.txt'),
        change('Add b', { ...because, next_slice: 'c' }),
        writeFile('one.txt', 'one\n'),
        change('Add one', because),
      ],
    },
    requests: 12,
    errors: 0,
  },
]
