import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { type Answered, act, type Given, type OperationName } from './act.ts'

/** An operation of a person. Its effects arrive as events, so nothing is fetched again here. */
export const useOperation = <Name extends OperationName>(
  name: Name,
  options: Omit<UseMutationOptions<Answered<Name>, Error, Given<Name>>, 'mutationFn'> = {},
) => useMutation({ ...options, mutationFn: (input: Given<Name>) => act(name, input) })
