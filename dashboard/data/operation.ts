import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { type ActInput, type ActOutput, act, type OperationName } from './act.ts'

/** An operation of a person. Its effects arrive as events, so nothing is fetched again here. */
export const useOperation = <Name extends OperationName>(
  name: Name,
  options: Omit<UseMutationOptions<ActOutput<Name>, Error, ActInput<Name>>, 'mutationFn'> = {},
) => useMutation({ ...options, mutationFn: (input: ActInput<Name>) => act(name, input) })
