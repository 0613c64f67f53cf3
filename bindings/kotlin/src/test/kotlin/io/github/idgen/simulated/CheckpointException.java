package io.github.idgen.simulated;

public class CheckpointException extends Exception {}
