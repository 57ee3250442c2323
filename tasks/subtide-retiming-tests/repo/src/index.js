export { TimeError, formatTime, parseTime, shift, stretch, tidy } from './retime.js';
export { readSrt, writeSrt } from './srt.js';
