/** The name of the lane in which the architect interviews the user. */
export const interviewLane = 'architect/INTERVIEW'
