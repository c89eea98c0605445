import { useMutation } from '@tanstack/react-query'
import type { DecideTests } from '../../src/api/acceptance.ts'
import type {
  Accept,
  Handed,
  Post,
  RaiseBudget,
  Retry,
  StartInterview,
  StartRun,
  StartTask,
} from '../../src/api/commands.ts'
import { act } from './act.ts'
import { apiPath } from './client.ts'

/** What a person does. What comes of it arrives as events, so nothing is refreshed here. */
const useCommand = <Input>(send: (input: Input) => Promise<Handed>) => useMutation({ mutationFn: send })

export const useStartRun = () => useCommand((input: StartRun) => act(apiPath('runs'), input))
export const useStartInterview = () => useCommand((input: StartInterview) => act(apiPath('interviews'), input))
export const useStartTask = () => useCommand((input: StartTask) => act(apiPath('tasks'), input))
export const useCancel = (run: string) => useCommand(() => act(apiPath('runs', run, 'cancel'), {}))
export const usePause = (run: string) => useCommand(() => act(apiPath('runs', run, 'pause'), {}))
export const useResume = (run: string) => useCommand(() => act(apiPath('runs', run, 'resume'), {}))
export const useAccept = (run: string) => useCommand((input: Accept) => act(apiPath('runs', run, 'accept'), input))
export const useDecideTests = (run: string, story: string) =>
  useCommand((input: DecideTests) => act(apiPath('runs', run, 'stories', story, 'acceptance'), input))
export const useRetry = (run: string) => useCommand((input: Retry) => act(apiPath('runs', run, 'retry'), input))
export const useRaise = (run: string) => useCommand((input: RaiseBudget) => act(apiPath('runs', run, 'budget'), input))
export const usePost = (run: string) => useCommand((input: Post) => act(apiPath('runs', run, 'posts'), input))
export const useReply = (message: string) =>
  useCommand((text: string) => act(apiPath('messages', message, 'reply'), { text }))
