/** Where the reading tools show the other repositories of a Run, a folder for each. */
export const insideRepositories = '/repositories'
